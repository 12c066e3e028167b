"""The Debian package in an empty Debian 12: it installs by the commands of the Containerfile's last stage, trains, builds the C++
example, runs the Python example, and leaves nothing when it is removed. Root only; needs debootstrap, and its default mirror.

The empty system is made once, in build/.../debian-root.tar.gz."""
import os
import shutil
import subprocess
import unittest

import containerfile
from tools import ROOT, build_folder, run, write_text

BUILD = build_folder()
PLACE = BUILD / "debian-package"


def empty_debian(target):
    """Makes an empty Debian 12 in a folder."""
    archive = BUILD / "debian-root.tar.gz"
    target.mkdir(parents=True)
    if not archive.exists():
        run("debootstrap", "--variant=minbase", "bookworm", target)
        run("tar", "-C", target, "-czf", archive, ".")
    else:
        run("tar", "-C", target, "-xzf", archive)


class Chroot:
    """An empty Debian; commands run in it, in mount and process name spaces of their own."""

    def __init__(self, root):
        self.root = root
        empty_debian(root)
        # A package's programs must not be started as services, and apt takes what the host takes.
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        for name in ("etc/resolv.conf", "etc/apt/apt.conf.d"):
            source = ROOT.__class__("/") / name
            if source.is_dir():
                for file in source.glob("*proxy*"):
                    shutil.copy(file, root / name / file.name)
            elif source.exists():
                shutil.copy(source, root / name)

    def run(self, command, expected=0):
        inside = f'mount -t proc proc "{self.root}/proc" && mount --rbind /dev "{self.root}/dev" && ' \
                 f'exec chroot "{self.root}" /bin/bash -ec "$0"'
        return run("unshare", "--mount", "--pid", "--fork", "bash", "-c", inside, command, expected=expected,
                   environment={"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                                "HOME": "/root"})

    def files(self):
        found = subprocess.run(["find", ".", "-xdev", "-not", "-type", "d"], cwd=self.root, capture_output=True, text=True, check=True)
        return {line for line in found.stdout.splitlines() if "megascale" in line}


@unittest.skipIf(os.geteuid() != 0, "needs root for chroot")
@unittest.skipIf(shutil.which("debootstrap") is None, "needs debootstrap")
class DebianPackage(unittest.TestCase):
    def test_it_installs_works_and_goes(self):
        for old in BUILD.glob("megascale_*.deb"):
            old.unlink()
        run("cpack", "--config", BUILD / "CPackConfig.cmake", cwd=BUILD)
        package, = BUILD.glob("megascale_*.deb")
        fields = run("dpkg-deb", "--field", package)
        for library in ("libc6", "libstdc++6", "libdnnl", "libgrpc++", "libsqlite3-0", "libpcre2-8-0"):
            self.assertRegex(fields, rf"Depends: .*\b{library}".replace("+", r"\+"))
        shutil.rmtree(PLACE, ignore_errors=True)
        debian = Chroot(PLACE)
        self.addCleanup(shutil.rmtree, PLACE, ignore_errors=True)
        self.assertEqual(debian.files(), set())
        shutil.copy(package, PLACE / "tmp")
        # The commands of the Containerfile's last stage, which also remove the package's file and apt's lists.
        last = containerfile.stages((ROOT / "Containerfile").read_text())[-1]
        for command in last.commands():
            debian.run(command)
        self.assertIn("megascale 0.1.0", debian.run("megascale --version"))
        self.assertEqual(debian.run("ldd /usr/bin/megascale | grep 'not found' || true"), "")
        self.train(debian)
        self.build_the_example(debian)
        self.run_python(debian)
        debian.run("dpkg --purge megascale")
        debian.run("rm -rf /root/job /root/cpp")
        left = {name for name in debian.files() if "/var/log/" not in name and "/var/cache/" not in name}
        self.assertEqual(left, set())

    def train(self, debian):
        folder = debian.root / "root/job"
        folder.mkdir()
        write_text(folder / "text.txt")
        output = debian.run("cd /root/job; megascale prepare text.txt --tokenizer byte --output corpus;"
                            "megascale config --template gpt2 > my.toml;"
                            "sed -Ei 's/^#?(num_layers) = .*/\\1 = 1/; s/^(hidden_size) = .*/\\1 = 32/; s/^(num_attention_heads) = .*/\\1 = 2/;"
                            "s/^(seq_length) = .*/\\1 = 32/; s/^(train_iters) = .*/\\1 = 4/; s/^(lr_warmup_iters) = .*/\\1 = 1/;"
                            "s/^(eval_interval) = .*/\\1 = 0/' my.toml;"
                            "megascale check my.toml; megascale train my.toml --set train.run_dir=runs/program")
        self.assertIn("configuration, plans, memory and files are in order", output)
        self.assertIn("step 4/4", output)
        debian.run("ls /usr/share/man/man1/megascale-train.1* /usr/share/bash-completion/completions/megascale "
                   "/usr/share/zsh/vendor-completions/_megascale /usr/share/megascale/configs/quickstart.toml "
                   "/usr/share/doc/megascale/docs/start-here.md")

    def build_the_example(self, debian):
        debian.run("apt-get update -qq; apt-get install -y -qq --no-install-recommends g++ cmake make >/dev/null")
        output = debian.run("cmake -S /usr/share/megascale/examples/cpp -B /root/cpp; cmake --build /root/cpp; cd /root/job;"
                            "/root/cpp/train_and_read my.toml train.run_dir=runs/cpp")
        self.assertIn("done after 4 steps", output)

    def run_python(self, debian):
        debian.run("apt-get install -y -qq --no-install-recommends python3 python3-numpy >/dev/null")
        output = debian.run("cd /root/job; python3 /usr/share/megascale/examples/python/train.py my.toml train.run_dir=runs/python")
        self.assertIn("done after 4 steps", output)


if __name__ == "__main__":
    unittest.main()
