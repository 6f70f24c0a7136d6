# usage: special-outputs.sh FOLDER INPUT: outputs that are more than a name.
set -eu
rm -rf "$1" && mkdir -p "$1/other"
cd "$1"

# A link is followed, and the permissions stay.
touch other/t.ptx && chmod 640 other/t.ptx && ln -s other/t.ptx link.ptx
tc-compile "$2" -o link.ptx
test -L link.ptx && echo "link: $(stat -c %a other/t.ptx), $(grep -c '^.version' other/t.ptx) module"

# A pipe takes the text, and has no description beside it.
mkfifo pipe.ptx
cat pipe.ptx > read & tc-compile "$2" -o pipe.ptx
wait
test -p pipe.ptx && test ! -e pipe.json && echo "pipe: $(grep -c '^.version' read) module"

# A device stays one.
tc-compile "$2" --emit=ptx -o /dev/null && test -c /dev/null && test ! -e /dev/null.json && echo "device"
tc-compile "$2" --emit=ptx -o /dev/full || test -c /dev/full && echo "full: $?"
