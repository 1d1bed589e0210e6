"""What tests of images and checkpoints begin with."""
import os
import shutil
import subprocess
import sys


def begin_in(folder):
    """Ends the test as skipped where addresses cannot be fixed, which images need; else goes to the folder, empty."""
    if subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("addresses cannot be fixed here")
        sys.exit(77)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
