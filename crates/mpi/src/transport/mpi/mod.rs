//! MPI for safe code: what the transport and its windows call.
//!
//! By the standard ABI of MPI 5.0 the library is loaded when the program starts, and handles and
//! constants are known when it is compiled: so one program runs with any MPI that has this ABI.
//! With the feature `mpi`, which is for those that have not, it is linked.
//!
//! Invariants:
//!
//! 1. **Initialised, not finalised.** Handles come with an `Rc` of [`Mpi`], whose drop finalises
//!    MPI; and an `Mpi` is made only once in a process, which [`Comm::world`] sees to.
//! 2. **One thread.** By that `Rc` all of it stays on the thread that initialised MPI.
//! 3. **Requests end first.** MPI uses the buffer of a request until the request is complete. The
//!    buffer is borrowed for longer than the call of [`Comm::scope`], which does not return or
//!    unwind while one of its requests is pending: it ends the process. Or the buffer is owned by a
//!    [`Launched`], which frees it only then.
//! 4. **Calls succeed.** An error of MPI ends the job, as its default is; and where a launcher has
//!    set another default, [`done`] ends it. So what a call writes is written.

#![allow(unsafe_code)]

mod bindings;
#[cfg(feature = "mpi")]
#[expect(non_snake_case, non_camel_case_types, reason = "the standard's names")]
mod linked;
mod window;

pub(crate) use self::window::Windows;

use self::bindings::{
    Functions, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Message, MPI_Op, MPI_Request, MPI_Status,
};
use crate::{Error, collective::Operation, error::ErrorKind};
use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    io::{self, Write},
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit},
    process, ptr,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

/// A constant. Those of a linked MPI are in its library.
macro_rules! constant {
    ($name:ident) => {{
        #[allow(unused_unsafe, reason = "the standard ABI's are constants of Rust")]
        // SAFETY: reading a constant.
        let constant = unsafe { $crate::transport::mpi::bindings::$name };
        constant
    }};
}
use constant;

/// Ends the process unless a call of MPI has succeeded.
fn done(code: c_int) {
    if code != 0 {
        let message = format!("sumac-mpi: a call of MPI failed with code {code}\n");
        drop(io::stderr().write_all(message.as_bytes()));
        process::abort();
    }
}

/// Returns the address of the first element. That of no elements is not one that MPI knows by a
/// name of its own.
fn address<T>(slice: &[T]) -> *const c_void {
    static NOWHERE: u128 = 0;
    match slice {
        [] => (&raw const NOWHERE).cast(),
        slice => slice.as_ptr().cast(),
    }
}

/// MPI, initialised.
struct Mpi {
    functions: Functions,
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // SAFETY: by 1 and 2 MPI is initialised, by this thread.
        done(unsafe { (self.functions.MPI_Finalize)() });
    }
}

/// Finds the functions of the MPI of this job.
#[cfg(feature = "mpi")]
fn functions() -> Result<Functions, Error> {
    Ok(Functions::linked())
}

#[cfg(not(feature = "mpi"))]
fn functions() -> Result<Functions, Error> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

    let named = std::env::var_os("SUMAC_MPI_LIBRARY").filter(|path| !path.is_empty());
    let path = named.unwrap_or_else(|| "libmpi_abi.so.1".into());
    let failed = |what: &str| {
        let path = path.to_string_lossy();
        let message = format!(
            "{path} {what}: MPICH from 5.0 and Intel MPI 2021.19 have a libmpi_abi.so.1, \
             which SUMAC_MPI_LIBRARY may name; for others, as Open MPI 5, build with the feature \
             `mpi`"
        );
        Error::new(ErrorKind::Setup, message)
    };
    // SAFETY: what runs when an MPI is loaded has no conditions. Which file it is, the user says.
    let library = unsafe { libloading::Library::new(&path) };
    let library = library.map_err(|error| failed(&format!("cannot be loaded ({error})")))?;
    let none = "has no standard ABI";
    let (mut major, mut minor) = (0, 0);
    // SAFETY: only an MPI has a function of this name, whose type the standard sets.
    let version = unsafe { library.get::<Version>(b"MPI_Abi_get_version") };
    let version = version.map_err(|_| failed(none))?;
    // SAFETY: it may be called at any time, with two places to write to.
    done(unsafe { version(&raw mut major, &raw mut minor) });
    if major != 1 {
        return Err(failed(none));
    }
    // SAFETY: the library says that it has this ABI, and is never unloaded: see below.
    let functions = unsafe { Functions::load(&library) };
    let functions = functions.map_err(|error| failed(&format!("is incomplete ({error})")))?;
    std::mem::forget(library);
    Ok(functions)
}

/// A communicator, on the thread that initialised MPI.
pub(crate) struct Comm {
    mpi: Rc<Mpi>,
    raw: MPI_Comm,
}

impl Comm {
    /// Initialises MPI for calls from this thread, and returns the communicator of all ranks.
    pub(crate) fn world() -> Result<Self, Error> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        let setup = |message: &str| Err(Error::new(ErrorKind::Setup, message));
        let functions = functions()?;
        let (mut used, mut level) = (0, 0);
        // SAFETY: it may be called at any time, with a place to write to.
        done(unsafe { (functions.MPI_Initialized)(&raw mut used) });
        // Two threads may be here, and other code may have initialised it.
        if used != 0 || TAKEN.swap(true, Ordering::Relaxed) {
            return setup("MPI has been used in this process before");
        }
        let (no, least) = (ptr::null_mut::<c_int>(), constant!(MPI_THREAD_FUNNELED));
        // SAFETY: MPI has not been initialised. It may do without arguments.
        done(unsafe { (functions.MPI_Init_thread)(no, no.cast(), least, &raw mut level) });
        let mpi = Mpi { functions };
        if level < least {
            return setup("this MPI does not allow for other threads");
        }
        Ok(Self {
            mpi: Rc::new(mpi),
            raw: constant!(MPI_COMM_WORLD),
        })
    }

    fn functions(&self) -> &Functions {
        &self.mpi.functions
    }

    pub(crate) fn rank(&self) -> usize {
        let mut rank = 0;
        // SAFETY: a communicator, and a place to write to.
        done(unsafe { (self.functions().MPI_Comm_rank)(self.raw, &raw mut rank) });
        rank as usize
    }

    pub(crate) fn size(&self) -> usize {
        let mut size = 0;
        // SAFETY: a communicator, and a place to write to.
        done(unsafe { (self.functions().MPI_Comm_size)(self.raw, &raw mut size) });
        size as usize
    }

    /// Returns another communicator of the same ranks. Collective.
    pub(crate) fn duplicate(&self) -> Self {
        let mut raw = self.raw;
        // SAFETY: a communicator, and a place to write to.
        done(unsafe { (self.functions().MPI_Comm_dup)(self.raw, &raw mut raw) });
        let mpi = Rc::clone(&self.mpi);
        Self { mpi, raw }
    }

    /// Returns the communicator of those ranks that share this one's memory. Collective.
    pub(crate) fn split_shared(&self) -> Self {
        let (kind, info) = (constant!(MPI_COMM_TYPE_SHARED), constant!(MPI_INFO_NULL));
        let (key, mut raw) = (self.rank() as c_int, self.raw);
        let split = self.functions().MPI_Comm_split_type;
        // SAFETY: a communicator, and a place to write to.
        done(unsafe { split(self.raw, kind, key, info, &raw mut raw) });
        let mpi = Rc::clone(&self.mpi);
        Self { mpi, raw }
    }

    /// Returns the equally many numbers of each rank, in the ranks' order. Collective.
    pub(crate) fn all_gather(&self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len() * self.size()];
        let (len, byte) = (size_of_val(own) as c_int, constant!(MPI_UINT8_T));
        let (from, to) = (own.as_ptr().cast(), all.as_mut_ptr().cast());
        let gather = self.functions().MPI_Allgather;
        // SAFETY: a communicator; `from` has `len` bytes and `to` so many of each rank.
        done(unsafe { gather(from, len, byte, to, len, byte, self.raw) });
        all
    }

    /// Ends all ranks.
    pub(crate) fn abort(&self, code: i32) -> ! {
        // SAFETY: a communicator.
        unsafe { (self.functions().MPI_Abort)(self.raw, code) };
        process::abort()
    }

    /// Returns the next message from a rank, if it has arrived, before it is received.
    pub(crate) fn probe(&self, from: usize) -> Option<Arrived> {
        let (mut flag, mut len) = (0, 0);
        let mut message = MaybeUninit::<MPI_Message>::uninit();
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        let (any, byte) = (constant!(MPI_ANY_TAG), constant!(MPI_UINT8_T));
        let (functions, from) = (self.functions(), from as c_int);
        let (found, state) = (message.as_mut_ptr(), status.as_mut_ptr());
        // SAFETY: a communicator and a rank of it, and places to write to.
        done(unsafe { (functions.MPI_Improbe)(from, any, self.raw, &raw mut flag, found, state) });
        if flag == 0 {
            return None;
        }
        // SAFETY: a status that MPI has written, and a place to write to.
        done(unsafe { (functions.MPI_Get_count_c)(state, byte, &raw mut len) });
        // SAFETY: MPI has written it, since there is a message.
        let message = unsafe { message.assume_init() };
        // SAFETY: the same.
        let tag = unsafe { (*state).MPI_TAG };
        Some(Arrived {
            message,
            tag: tag as u16,
            len: len as usize,
        })
    }

    /// Calls `body`, which may start requests on buffers that are borrowed for `'a`, and completes
    /// them all.
    pub(crate) fn scope<'a, R>(&self, body: impl FnOnce(&mut Requests<'a>) -> R) -> R {
        body(&mut Requests {
            mpi: Rc::clone(&self.mpi),
            pending: Vec::new(),
            buffers: PhantomData,
        })
    }

    /// Starts to send a message.
    pub(crate) fn send<'a>(
        &self,
        to: usize,
        tag: u16,
        bytes: &'a [u8],
        requests: &mut Requests<'a>,
    ) {
        let (from, len, byte) = (address(bytes), bytes.len(), constant!(MPI_UINT8_T));
        let (len, rank, tag) = (len as MPI_Count, to as c_int, c_int::from(tag));
        let send = self.functions().MPI_Isend_c;
        requests.start(to, |request| {
            // SAFETY: a communicator and a rank of it; by 3 the bytes are there, and are not written,
            // until the request is complete.
            done(unsafe { send(from, len, byte, rank, tag, self.raw, request) });
        });
    }

    /// Starts to send a message with its bytes.
    pub(crate) fn launch(&self, to: usize, tag: u16, bytes: Vec<u8>) -> Launched {
        let bytes = ManuallyDrop::new(bytes);
        let (from, len, byte) = (address(&bytes), bytes.len(), constant!(MPI_UINT8_T));
        let (len, rank, tag) = (len as MPI_Count, to as c_int, c_int::from(tag));
        let (send, mut request) = (self.functions().MPI_Isend_c, MaybeUninit::uninit());
        let place = request.as_mut_ptr();
        // SAFETY: a communicator and a rank of it; until the request is complete the bytes are
        // there, since `Launched` frees them only then, and are not written.
        done(unsafe { send(from, len, byte, rank, tag, self.raw, place) });
        // SAFETY: written by the call above.
        let request = unsafe { request.assume_init() };
        Launched {
            mpi: Rc::clone(&self.mpi),
            pending: Some((request, bytes)),
        }
    }

    /// Starts to receive a message into a place of its length.
    pub(crate) fn receive<'a>(
        &self,
        from: usize,
        mut arrived: Arrived,
        place: &'a mut [u8],
        requests: &mut Requests<'a>,
    ) {
        assert_eq!(place.len(), arrived.len, "a message is received as a whole");
        // Nothing is written to the address of nothing.
        let to = match place.len() {
            0 => address::<u8>(&[]).cast_mut(),
            _ => place.as_mut_ptr().cast(),
        };
        let (len, byte) = (place.len(), constant!(MPI_UINT8_T));
        let (len, receive) = (len as MPI_Count, self.functions().MPI_Imrecv_c);
        requests.start(from, |request| {
            // SAFETY: a message that has been found and, since it is moved here, not received; by 3
            // the place is there, and is not used otherwise, until the request is complete.
            done(unsafe { receive(to, len, byte, &raw mut arrived.message, request) });
        });
    }

    /// Starts to reduce equally long vectors of all ranks elementwise. Collective.
    pub(crate) fn all_reduce<'a, T: Element>(
        &self,
        own: &'a [T],
        into: &'a mut [T],
        operation: Operation,
        requests: &mut Requests<'a>,
    ) {
        assert_eq!(own.len(), into.len(), "equally long vectors");
        let op: MPI_Op = match operation {
            Operation::Sum => constant!(MPI_SUM),
            Operation::Min => constant!(MPI_MIN),
            Operation::Max => constant!(MPI_MAX),
        };
        let kind = match operation {
            Operation::Sum => T::summed(),
            _ => T::datatype(),
        };
        let (from, len) = (own.as_ptr().cast(), own.len() as MPI_Count);
        let (to, reduce) = (into.as_mut_ptr().cast(), self.functions().MPI_Iallreduce_c);
        requests.start(0, |request| {
            // SAFETY: a communicator; both vectors have `len` elements of this type, and by 3 they
            // are there, and are not used otherwise, until the request is complete.
            done(unsafe { reduce(from, to, len, kind, op, self.raw, request) });
        });
    }
}

/// A message that has been found, and not received.
pub(crate) struct Arrived {
    message: MPI_Message,
    pub(crate) tag: u16,
    pub(crate) len: usize,
}

/// A message that is being sent. If dropped while it is, its bytes are never freed.
pub(crate) struct Launched {
    mpi: Rc<Mpi>,
    pending: Option<(MPI_Request, ManuallyDrop<Vec<u8>>)>,
}

impl Launched {
    /// Lets MPI go on with it, and returns whether it is sent.
    pub(crate) fn test(&mut self) -> bool {
        let (mut flag, mut status) = (0, MaybeUninit::<MPI_Status>::uninit());
        let Some((request, _)) = &mut self.pending else {
            return true;
        };
        // SAFETY: a request that is not complete, and places to write to.
        done(unsafe { (self.mpi.functions.MPI_Test)(request, &raw mut flag, status.as_mut_ptr()) });
        if flag == 0 {
            return false;
        }
        let bytes = self.pending.take().map(|(_, bytes)| bytes);
        drop(bytes.map(ManuallyDrop::into_inner));
        true
    }
}

/// Requests that use buffers which are borrowed for `'a`.
pub(crate) struct Requests<'a> {
    mpi: Rc<Mpi>,
    /// With the rank at the other end.
    pending: Vec<(usize, MPI_Request)>,
    buffers: PhantomData<Cell<&'a mut [u8]>>,
}

impl Requests<'_> {
    fn start(&mut self, peer: usize, call: impl FnOnce(*mut MPI_Request)) {
        let mut request = MaybeUninit::uninit();
        call(request.as_mut_ptr());
        // SAFETY: each caller's `call` has MPI write it.
        let request = unsafe { request.assume_init() };
        self.pending.push((peer, request));
    }

    /// Lets MPI go on with the requests, and forgets those that are complete.
    pub(crate) fn test(&mut self) {
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        let test = self.mpi.functions.MPI_Test;
        self.pending.retain_mut(|(_, request)| {
            let mut flag = 0;
            // SAFETY: a request that is not complete, and places to write to.
            done(unsafe { test(&raw mut *request, &raw mut flag, status.as_mut_ptr()) });
            flag == 0
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns the rank at the other end of the first request.
    pub(crate) fn peer(&self) -> Option<usize> {
        self.pending.first().map(|(peer, _)| *peer)
    }
}

impl Drop for Requests<'_> {
    fn drop(&mut self) {
        if !self.is_empty() {
            let message = b"sumac-mpi: requests are pending whose buffers would be lost\n";
            drop(io::stderr().write_all(message));
            process::abort();
        }
    }
}

/// The types of numbers that MPI reduces.
///
/// # Safety
/// The datatypes are this type's, and one of the same size.
pub(crate) unsafe trait Element: Copy {
    fn datatype() -> MPI_Datatype;

    /// The type as which they are summed: in C, signed integers must not overflow.
    fn summed() -> MPI_Datatype;
}

macro_rules! elements {
    ($($type:ident: $datatype:ident, $summed:ident;)*) => {
        $(
        // SAFETY: each has the datatype of its name, and that or the unsigned one to be summed.
        unsafe impl Element for $type {
            fn datatype() -> MPI_Datatype {
                constant!($datatype)
            }

            fn summed() -> MPI_Datatype {
                constant!($summed)
            }
        })*
    };
}

elements! {
    f32: MPI_FLOAT, MPI_FLOAT;
    f64: MPI_DOUBLE, MPI_DOUBLE;
    i32: MPI_INT32_T, MPI_UINT32_T;
    i64: MPI_INT64_T, MPI_UINT64_T;
    u32: MPI_UINT32_T, MPI_UINT32_T;
    u64: MPI_UINT64_T, MPI_UINT64_T;
}
