# As output.cpp, without MPI.
import os
import signal
import sys

print("first of", 0)
sys.stdout.write("second of 0\n")
print("third of 0", file=sys.stderr)
print(" fourth of          ", 0)
print("unfinished", end="")
how = sys.argv[1]
if how == "stop":
    sys.exit(3)
elif how == "_exit":
    os._exit(3)
elif how == "abort":
    os.abort()
elif how == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
while how == "forever":
    pass
