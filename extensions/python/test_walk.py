"""What a Python program does to the extension: threads, processes, its end. Run it after
`pip install ./extensions/python`."""

import multiprocessing
import subprocess
import sys
import threading
import time
import unittest

import walk_python


def tree(depth):
    """An expression with 2**depth times the name `x`."""
    return "x" if depth == 0 else f"({tree(depth - 1)} {tree(depth - 1)})"


SMALL, LARGE = tree(8), tree(16)
LIMIT = 60


def python(program):
    """Runs a program in a process of its own."""
    before = "import sys, threading, time, walk_python\n"
    before += f"text = {SMALL!r}\nassert walk_python.count(text, 'x') == 256\n"
    return subprocess.run(
        [sys.executable, "-c", before + program], timeout=LIMIT, capture_output=True, text=True
    )


def count_in_child(queue):
    queue.put(walk_python.count(LARGE, "x"))


class Walk(unittest.TestCase):
    def test_count(self):
        self.assertEqual(walk_python.count(LARGE, "x"), 2**16)
        self.assertEqual(walk_python.count(LARGE, "y"), 0)

    def test_bad_input_is_a_value_error(self):
        with self.assertRaisesRegex(ValueError, r"a `\)` is missing"):
            walk_python.count("((x)", "x")

    def test_threads(self):
        wrong = []

        def call():
            for _ in range(20):
                if walk_python.count(SMALL, "x") != 256:
                    wrong.append(1)

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
            self.assertFalse(thread.is_alive(), "a call hangs")
        self.assertEqual(wrong, [])

    def test_the_interpreter_runs_meanwhile(self):
        """The lock is released: this thread counts on while the other one is in one long call."""
        calling = threading.Thread(target=walk_python.count, args=(tree(19), "x"))
        calling.start()
        ticks = 0
        while calling.is_alive():
            time.sleep(0.001)
            ticks += 1
        self.assertGreater(ticks, 10)

    def test_a_panic_is_an_exception(self):
        for _ in range(3):
            with self.assertRaisesRegex(BaseException, "the expression asks for it") as caught:
                walk_python.count(f"({LARGE} (panic!) {LARGE})", "x")
            self.assertEqual(type(caught.exception).__name__, "PanicException")
            self.assertEqual(walk_python.count(LARGE, "x"), 2**16)

    def test_fork(self):
        """`fork` copies one thread: the child's joins run on it alone."""
        walk_python.count(LARGE, "x")
        fork = multiprocessing.get_context("fork")
        queue = fork.Queue()
        children = [fork.Process(target=count_in_child, args=(queue,)) for _ in range(4)]
        for child in children:
            child.start()
        self.assertEqual([queue.get(timeout=LIMIT) for _ in children], [2**16] * 4)
        for child in children:
            child.join(LIMIT)
            self.assertEqual(child.exitcode, 0)
        self.assertEqual(walk_python.count(LARGE, "x"), 2**16)

    def test_fork_in_the_midst_of_calls(self):
        """Locks that another thread held at the fork are held for ever in the child."""
        ended = python(
            "import multiprocessing\n"
            "def call():\n"
            "    while not stop: walk_python.count(text, 'x')\n"
            "stop = False\n"
            "threads = [threading.Thread(target=call) for _ in range(3)]\n"
            "for thread in threads: thread.start()\n"
            "fork = multiprocessing.get_context('fork')\n"
            "for _ in range(30):\n"
            "    child = fork.Process(target=walk_python.count, args=(text, 'x'))\n"
            "    child.start(); child.join(20); assert child.exitcode == 0, child.exitcode\n"
            "stop = True\n"
            "for thread in threads: thread.join()\n"
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_the_interpreter_ends_while_workers_sleep(self):
        ended = python("time.sleep(0.05)")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_the_interpreter_ends_while_workers_work(self):
        ended = python(
            "def call():\n"
            "    while True: walk_python.count(text, 'x')\n"
            "for _ in range(4): threading.Thread(target=call, daemon=True).start()\n"
            "time.sleep(0.2)\n"
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_sys_exit_in_a_thread_that_called(self):
        ended = python(
            "def call():\n"
            "    walk_python.count(text, 'x'); sys.exit(3)\n"
            "thread = threading.Thread(target=call); thread.start(); thread.join()\n"
            "assert walk_python.count(text, 'x') == 256\n"
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_dlclose_while_workers_sleep(self):
        """Twice: once for Python, once for us. The threads that sleep in the library keep it."""
        ended = python(
            "import _ctypes, ctypes\n"
            "library = ctypes.CDLL(walk_python.walk_python.__file__)\n"
            "for _ in range(2): _ctypes.dlclose(library._handle)\n"
            "time.sleep(0.2)\n"
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
