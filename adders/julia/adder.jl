# The adder in Julia, on MPI through `ccall`: the sum of a file's bytes over the halving tree, as in adders/c/adder.c, which says how.
# With ADDER_MODE=first by the first comparison's method instead, as in adders/c/first.c.
# It knows MPICH's constants; ADDER_LIBMPI names the library.
#
#     ADDER_LIBMPI=libmpich.so.12 mpiexec -n 4 julia adder.jl FILE SIZE

const libmpi = get(ENV, "ADDER_LIBMPI", "libmpich.so.12")
const WORLD = Cint(0x44000000)
const KIND_BYTE = Cint(0x4c00010d)
const MESSAGE_NULL = Cint(0x2c000000)
const ANY_SOURCE = Cint(-2)
const ANY_TAG = Cint(-1)
const REQUEST_NULL = Cint(0x2c000000)
const ERRORS_RETURN = Cint(0x54000001)
const STATUS_IGNORE = Ptr{Cvoid}(1)
const FUNNELED = Cint(1)
const BYTES = Cint(1)
const SUM = Cint(2)
# Bytes that are added between two looks at the messages.
const STEP = 1 << 18

struct Node
    parent::Int
    all::UnitRange{Int}
    own::UnitRange{Int}
    children::Vector{Tuple{Int,UnitRange{Int}}}
end

function fail(what)
    println(stderr, "julia: ", what)
    # A launcher that is told to end everything loses what it has not read by then.
    sleep(0.1)
    ccall((:MPI_Abort, libmpi), Cint, (Cint, Cint), WORLD, 1)
    exit(1)
end

check(code, what) = code == 0 || fail("$what: error $code")

# Ranges are of bytes from 0 on, their ends included; empty ones end before they begin.
function Node(rank, ranks, bytes)
    share, more = divrem(bytes, ranks)
    start(place) = share * place + min(more, place)
    root, step, first, last = 0, 1, 0, ranks
    parent, all, children = -1, 0:bytes-1, Tuple{Int,UnitRange{Int}}[]
    while root + step < ranks
        middle = first + cld(ranks - root, 2step)
        given = start(middle):start(last)-1
        if (rank - root) % 2step == 0
            push!(children, (root + step, given))
            last = middle
        else
            parent, all = root, given
            empty!(children)
            root += step
            first = middle
        end
        step *= 2
    end
    Node(parent, all, start(first):start(last)-1, children)
end

# The sum of bytes of a vector, at these places from 1 on. A part that 32 bits can hold lets the compiler make vectors of it.
function add(bytes::Vector{UInt8}, from::Int, to::Int)
    total = UInt64(0)
    while from <= to
        stop = min(to, from + 65535)
        part = UInt32(0)
        @inbounds @simd for i in from:stop
            part += bytes[i]
        end
        total += part
        from = stop + 1
    end
    total
end

function send(memory, length, to, tag)
    request = Ref(REQUEST_NULL)
    check(ccall((:MPI_Isend, libmpi), Cint, (Ptr{Cvoid}, Cint, Cint, Cint, Cint, Cint, Ref{Cint}),
        memory, length, KIND_BYTE, to, tag, WORLD, request), "MPI_Isend")
    request
end

function receive(memory, length, from, tag)
    request = Ref(REQUEST_NULL)
    check(ccall((:MPI_Irecv, libmpi), Cint, (Ptr{Cvoid}, Cint, Cint, Cint, Cint, Cint, Ref{Cint}),
        memory, length, KIND_BYTE, from, tag, WORLD, request), "MPI_Irecv")
    request
end

function done(request)
    flag = Ref(Cint(0))
    check(ccall((:MPI_Test, libmpi), Cint, (Ref{Cint}, Ref{Cint}, Ptr{Cvoid}), request, flag, STATUS_IGNORE), "MPI_Test")
    flag[] != 0
end

# Waits for a request, and lets others have the processor meanwhile.
function finish(request)
    while !done(request)
        ccall(:sched_yield, Cint, ())
    end
end

function meet()
    request = Ref(REQUEST_NULL)
    check(ccall((:MPI_Ibarrier, libmpi), Cint, (Cint, Ref{Cint}), WORLD, request), "MPI_Ibarrier")
    finish(request)
end

both(a, b) = max(first(a), first(b)):min(last(a), last(b))

# One pass: the sum of this rank's bytes and of those below it. The caller keeps `bytes` where they are.
function pass(node::Node, bytes::Vector{UInt8}, chunk::Int)
    zero = first(node.all)
    at(byte) = pointer(bytes) + (byte - zero)
    sums = zeros(UInt64, length(node.children))
    total = UInt64(0)
    GC.@preserve bytes sums begin
        results = [receive(pointer(sums, i), 8, node.children[i][1], SUM) for i in eachindex(sums)]
        lowest, highest = div(zero, chunk), isempty(node.all) ? div(zero, chunk) - 1 : div(last(node.all), chunk)
        cells = [both(n*chunk:(n+1)*chunk-1, node.all) for n in highest:-1:lowest]
        receives = node.parent < 0 ? Base.RefValue{Cint}[] : [receive(at(first(cell)), length(cell), node.parent, BYTES) for cell in cells]
        sends = Base.RefValue{Cint}[]
        oldest = 1
        for i in eachindex(cells)
            node.parent < 0 || finish(receives[i])
            for (child, given) in node.children
                part = both(cells[i], given)
                isempty(part) || push!(sends, send(at(first(part)), length(part), child, BYTES))
            end
            own = both(cells[i], node.own)
            from = first(own)
            while from <= last(own)
                stop = min(last(own), from + STEP - 1)
                total += add(bytes, from - zero + 1, stop - zero + 1)
                # A look at the oldest message that is under way moves all of them.
                while oldest <= length(sends) && done(sends[oldest])
                    oldest += 1
                end
                from = stop + 1
            end
        end
        foreach(finish, sends[oldest:end])
        foreach(finish, results)
    end
    total += sum(sums)
    if node.parent >= 0
        own = [total]
        GC.@preserve own finish(send(pointer(own), 8, node.parent, SUM))
    end
    total
end

# A rank's parent in the first comparison's tree, -1 for rank 0, and its children.
function first_place(rank, ranks)
    step = 1
    while step <= rank
        step *= 2
    end
    parent, children = rank == 0 ? -1 : rank - div(step, 2), Int[]
    while rank + step < ranks
        push!(children, rank + step)
        step *= 2
    end
    parent, children
end

# What a rank sends next, in memory of its own.
function receive_all(from)
    message, count = Ref(MESSAGE_NULL), Ref(Cint(0))
    # A status has 20 bytes.
    status = zeros(Cint, 8)
    GC.@preserve status begin
        place = pointer(status)
        check(ccall((:MPI_Mprobe, libmpi), Cint, (Cint, Cint, Cint, Ref{Cint}, Ptr{Cvoid}), from, ANY_TAG, WORLD, message, place), "MPI_Mprobe")
        check(ccall((:MPI_Get_count, libmpi), Cint, (Ptr{Cvoid}, Cint, Ref{Cint}), place, KIND_BYTE, count), "MPI_Get_count")
        bytes = Vector{UInt8}(undef, count[])
        check(ccall((:MPI_Mrecv, libmpi), Cint, (Ptr{Cvoid}, Cint, Cint, Ref{Cint}, Ptr{Cvoid}), bytes, count[], KIND_BYTE, message, place), "MPI_Mrecv")
    end
    bytes
end

# The sum of the first bytes, one after the other.
function add_one_by_one(bytes::Vector{UInt8}, count::Int)
    total = UInt64(0)
    for i in 1:count
        @inbounds total += bytes[i]
    end
    total
end

# One pass by the first comparison's method: each half is one message, whose request is forgotten until the answer is there.
function first_pass(parent::Int, children::Vector{Int}, own::Vector{UInt8})
    bytes = parent < 0 ? own : receive_all(parent)
    size = length(bytes)
    part = UInt64[0]
    total = UInt64(0)
    GC.@preserve bytes part begin
        sends = Cint[]
        for child in children
            kept = div(size, 2)
            push!(sends, send(pointer(bytes) + kept, size - kept, child, BYTES)[])
            size = kept
        end
        total += add_one_by_one(bytes, size)
        for _ in children
            check(ccall((:MPI_Recv, libmpi), Cint, (Ptr{Cvoid}, Cint, Cint, Cint, Cint, Cint, Ptr{Cvoid}),
                part, 8, KIND_BYTE, ANY_SOURCE, SUM, WORLD, STATUS_IGNORE), "MPI_Recv")
            total += part[1]
        end
        check(ccall((:MPI_Waitall, libmpi), Cint, (Cint, Ptr{Cint}, Ptr{Cvoid}), length(sends), sends, STATUS_IGNORE), "MPI_Waitall")
        if parent >= 0
            part[1] = total
            check(ccall((:MPI_Send, libmpi), Cint, (Ptr{Cvoid}, Cint, Cint, Cint, Cint, Cint), part, 8, KIND_BYTE, parent, SUM, WORLD), "MPI_Send")
        end
    end
    total
end

function load(path, size)
    isfile(path) || fail("$path: No such file")
    filesize(path) == size || fail("$path: has $(filesize(path)) bytes, expected $size")
    bytes = Vector{UInt8}(undef, size)
    open(file -> readbytes!(file, bytes, size), path) == size || fail("$path: became shorter")
    bytes
end

function number(what, text)
    value = tryparse(Int, text)
    value === nothing || value < 0 ? fail("$what is '$text', not a number") : value
end

function main()
    provided = Ref(Cint(0))
    check(ccall((:MPI_Init_thread, libmpi), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cint, Ref{Cint}), C_NULL, C_NULL, FUNNELED, provided), "MPI_Init_thread")
    check(ccall((:MPI_Comm_set_errhandler, libmpi), Cint, (Cint, Cint), WORLD, ERRORS_RETURN), "MPI_Comm_set_errhandler")
    rank_, ranks_ = Ref(Cint(0)), Ref(Cint(0))
    check(ccall((:MPI_Comm_rank, libmpi), Cint, (Cint, Ref{Cint}), WORLD, rank_), "MPI_Comm_rank")
    check(ccall((:MPI_Comm_size, libmpi), Cint, (Cint, Ref{Cint}), WORLD, ranks_), "MPI_Comm_size")
    rank, ranks = Int(rank_[]), Int(ranks_[])
    length(ARGS) == 2 || fail("expected FILE SIZE")
    size = number("SIZE", ARGS[2])
    warm = number("ADDER_WARM", get(ENV, "ADDER_WARM", "3"))
    chunk = number("ADDER_CHUNK", get(ENV, "ADDER_CHUNK", "1048576"))
    0 < chunk < 2^31 || fail("ADDER_CHUNK is not between 1 and 2^31-1")
    mode = get(ENV, "ADDER_MODE", "tree")
    mode in ("tree", "first") || fail("ADDER_MODE is neither tree nor first: $mode")
    first_method = mode == "first"
    !first_method || ranks <= size < 2^31 || fail("SIZE is not between the number of ranks and 2^31-1")
    node = Node(rank, ranks, size)
    parent, children = first_place(rank, ranks)
    # Compiled before anything is timed, with no bytes and with one.
    if first_method
        first_pass(-1, Int[], UInt8[1])
        precompile(receive_all, (Int,))
    else
        pass(Node(-1, 0:-1, 0:-1, Tuple{Int,UnitRange{Int}}[]), UInt8[], chunk)
        pass(Node(-1, 0:0, 0:0, Tuple{Int,UnitRange{Int}}[]), UInt8[1], chunk)
    end
    begun = time_ns()
    bytes = rank == 0 ? load(ARGS[1], size) : UInt8[]
    load_us = (time_ns() - begun) / 1e3
    us = Float64[]
    result = UInt64(0)
    for i in 0:warm
        meet()
        begun = time_ns()
        if first_method
            total = first_pass(parent, children, bytes)
        else
            length(bytes) == length(node.all) || resize!(bytes, length(node.all))
            total = pass(node, bytes, chunk)
        end
        push!(us, (time_ns() - begun) / 1e3)
        i == 0 || total == result || fail("rank $rank: $result in one pass, $total in another")
        result = total
    end
    if rank == 0
        println("{\"adder\":\"julia", first_method ? "-first" : "", "\",\"sum\":", result, ",\"ranks\":", ranks, ",\"threads\":1,\"load_us\":", load_us,
            ",\"cold_us\":", us[1], ",\"warm_us\":[", join(us[2:end], ','), "]}")
    end
    check(ccall((:MPI_Finalize, libmpi), Cint, ()), "MPI_Finalize")
end

try
    main()
catch error
    fail(sprint(showerror, error))
end
