# The adder in Julia, on MPI through `ccall`: the sum of a file's bytes over the halving tree, as in adders/c/adder.c, which says how.
# It knows MPICH's constants; ADDER_LIBMPI names the library.
#
#     ADDER_LIBMPI=libmpich.so.12 mpiexec -n 4 julia adder.jl FILE SIZE

const libmpi = get(ENV, "ADDER_LIBMPI", "libmpich.so.12")
const WORLD = Cint(0x44000000)
const KIND_BYTE = Cint(0x4c00010d)
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
    node = Node(rank, ranks, size)
    # Compiled before anything is timed, with no bytes and with one.
    pass(Node(-1, 0:-1, 0:-1, Tuple{Int,UnitRange{Int}}[]), UInt8[], chunk)
    pass(Node(-1, 0:0, 0:0, Tuple{Int,UnitRange{Int}}[]), UInt8[1], chunk)
    begun = time_ns()
    bytes = rank == 0 ? load(ARGS[1], size) : UInt8[]
    load_us = (time_ns() - begun) / 1e3
    us = Float64[]
    result = UInt64(0)
    for i in 0:warm
        meet()
        begun = time_ns()
        length(bytes) == length(node.all) || resize!(bytes, length(node.all))
        total = pass(node, bytes, chunk)
        push!(us, (time_ns() - begun) / 1e3)
        i == 0 || total == result || fail("rank $rank: $result in one pass, $total in another")
        result = total
    end
    if rank == 0
        println("{\"adder\":\"julia\",\"sum\":", result, ",\"ranks\":", ranks, ",\"threads\":1,\"load_us\":", load_us,
            ",\"cold_us\":", us[1], ",\"warm_us\":[", join(us[2:end], ','), "]}")
    end
    check(ccall((:MPI_Finalize, libmpi), Cint, ()), "MPI_Finalize")
end

try
    main()
catch error
    fail(sprint(showerror, error))
end
