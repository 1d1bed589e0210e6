"""Lists the tracked files of the tree, for the checks."""
import fnmatch
import pathlib
import subprocess


def tracked(root, *patterns):
    """Tracked and new files, without those that git ignores. Without git: all files outside of build/."""
    git = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard", "--", *patterns], capture_output=True, text=True)
    listed = git.stdout
    if git.returncode:
        files = (path.relative_to(root).as_posix() for path in pathlib.Path(root).rglob("*"))
        listed = "\0".join(path for path in files if not path.startswith(("build/", ".git/")) and
                           (not patterns or any(fnmatch.fnmatch(path, pattern) for pattern in patterns)))
    return sorted({path for path in listed.split("\0") if path and pathlib.Path(root, path).is_file()})


def cpp_files(root):
    return tracked(root, "*.cpp", "*.hpp", "*.c", "*.h")
