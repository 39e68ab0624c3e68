#!/bin/sh
# Runs a command in a root of its own, as an image would have it: this machine's programs stand for those of the base image, Node.js
# comes from <node>, the user `node` has id 1000, and nothing but <tree> is kept. To be called in a mount namespace of its own:
#   room.sh <root> <tree> <node> <command…>
set -eu
root=$1 tree=$2 node=$3
shift 3
mount -t tmpfs tmpfs "$root"
for folder in usr dev proc tmp root reenact node; do mkdir "$root/$folder"; done
chmod 1777 "$root/tmp"
for link in bin lib lib64 sbin; do if [ -L "/$link" ]; then ln -s "usr/$link" "$root/$link"; fi; done
cp -a /etc "$root/etc"
printf 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' > "$root/etc/group"
mount --bind /usr "$root/usr"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount --bind "$tree" "$root/reenact"
mount --bind "$node" "$root/node"
# A network namespace starts without its loopback.
ip link set lo up
cd /
exec chroot "$root" "$@"
