#!/usr/bin/env bash
# A throw-away S3 server for tests: one ceph-mon, one ceph-osd (objects in memory), one radosgw, all on loopback.
# No root, no ceph-mgr. Debian: apt-get install --no-install-recommends ceph-mon ceph-osd radosgw ceph-common
#
#   ceph.sh start DIR    start it, print "http://127.0.0.1:PORT ACCESS_KEY SECRET_KEY"
#   ceph.sh stop DIR     end what start began in DIR, and nothing else; DIR and its logs stay
#
# Environment of start: RGW_PORT (7480), MON_PORT (13300; the next one is used too), S3_KEY, S3_SECRET.
set -euo pipefail
host=127.0.0.1

say() { echo "ceph.sh: $*" >&2; }
usage() { say "usage: ceph.sh start DIR | ceph.sh stop DIR"; exit 2; }
listens() { (exec 3<>"/dev/tcp/$host/$1") 2>/dev/null; }

fail() {
  say "$*"
  tail -n 5 "$dir"/*.out "$dir"/*.log >&2 2>/dev/null || true
  stop
  exit 1
}

# A process counts as ours only while one of its arguments is this folder's ceph.conf: process numbers are reused.
ours() { { tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qxF "$conf"; }

running() {
  local name pid
  for name in rgw osd mon; do
    pid=$(cat "$dir/$name.pid" 2>/dev/null) || continue
    if [[ -n $pid ]] && ours "$pid"; then echo "$pid"; fi
  done
}

# signal NAME TENTHS: send a signal to what runs, then wait until nothing does or the time is over.
signal() {
  local pid
  for pid in $(running); do kill "-$1" "$pid" 2>/dev/null || true; done
  for ((i = 0; i < $2; i++)); do
    [[ -n $(running) ]] || return 0
    sleep 0.1
  done
}

# The objects lie in memory, so there is nothing to flush and no reason to wait long.
stop() {
  signal TERM 10
  signal KILL 50
  if [[ -n $(running) ]]; then say "still running: $(running)"; exit 1; fi
  rm -f "$dir"/{rgw,osd,mon}.pid "$dir"/*.asok
}

write_conf() {
  cat >"$conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:$host:$mon_port/0,v1:$host:$((mon_port + 1))/0]
public addr = $host
cluster addr = $host
keyring = $dir/keyring
auth allow insecure global id reclaim = false
run dir = $dir
admin socket = $dir/\$name.asok
log file = $dir/\$name.log
crash dir = $dir
mon allow pool size one = true
mon data avail warn = 1
mon data avail crit = 1
paxos propose interval = 0.05
paxos min wait = 0.01
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon client hunt interval = 0.5
[mon.a]
mon data = $dir/mon
[osd.0]
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 8589934592
osd crush initial weight = 1
[client]
rgw frontends = beast endpoint=$host:$rgw_port tcp_nodelay=1
rgw thread pool size = 64
rgw gc obj min wait = 5
rgw gc processor period = 5
rgw dynamic resharding = false
rgw override bucket index max shards = 1
CONF
}

setup() { "$@" >>"$dir/setup.out" 2>&1 || fail "$1 failed"; }

launch() {
  local name=$1
  shift
  setsid "$@" </dev/null >"$dir/$name.out" 2>&1 &
  echo $! >"$dir/$name.pid"
}

write_keys() {
  (umask 077 && : >"$dir/keyring") # cephx it must be: this radosgw cannot connect with authentication off
  local add=(ceph-authtool "$dir/keyring" --gen-key -n)
  setup "${add[@]}" mon. --cap mon 'allow *'
  setup "${add[@]}" client.admin --cap mon 'allow *' --cap osd 'allow *'
  setup "${add[@]}" client.rgw --cap mon 'allow rw' --cap osd 'allow rwx'
  setup "${add[@]}" osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
}

start_mon() {
  local addresses="[v2:$host:$mon_port,v1:$host:$((mon_port + 1))]"
  setup monmaptool -c "$conf" --create --clobber --addv a "$addresses" "$dir/monmap"
  setup ceph-mon -c "$conf" -i a --mkfs --monmap "$dir/monmap" --keyring "$dir/keyring"
  launch mon ceph-mon -c "$conf" -i a -f
  for ((i = 0; i < 100; i++)); do # a client that is refused once would wait 3 s
    if listens $((mon_port + 1)); then return; fi
    sleep 0.05
  done
}

start_osd() {
  local uuid
  uuid=$(cat /proc/sys/kernel/random/uuid)
  setup timeout 60 ceph -c "$conf" osd new "$uuid" 0
  setup ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$uuid"
  launch osd ceph-osd -c "$conf" -i 0 -f
}

start_gateway() {
  setup timeout 90 radosgw-admin -c "$conf" user create --uid=test --display-name=test \
    --access-key="$access_key" --secret-key="$secret_key"
  launch rgw radosgw -c "$conf" -n client.rgw -f
  for ((i = 0; i < 600; i++)); do
    if listens "$rgw_port"; then
      echo "http://$host:$rgw_port $access_key $secret_key"
      return
    fi
    kill -0 "$(cat "$dir/rgw.pid")" 2>/dev/null || fail "radosgw ended"
    sleep 0.1
  done
  fail "radosgw did not listen on port $rgw_port within 60 s"
}

start() {
  local rgw_port=${RGW_PORT:-7480} mon_port=${MON_PORT:-13300}
  local access_key=${S3_KEY:-testaccess} secret_key=${S3_SECRET:-testsecret}
  local port
  if [[ -e $dir && ! -e $dir/.ceph-for-tests ]]; then say "$dir exists and was not made by ceph.sh"; exit 1; fi
  if [[ -e $dir ]]; then stop; fi
  for port in "$rgw_port" "$mon_port" $((mon_port + 1)); do
    if listens "$port"; then say "port $port is taken; set RGW_PORT and MON_PORT"; exit 1; fi
  done
  rm -rf "$dir"
  mkdir -p "$dir/mon" "$dir/osd"
  touch "$dir/.ceph-for-tests"
  write_conf
  write_keys
  start_mon
  start_osd
  start_gateway
}

[[ $# -eq 2 ]] || usage
dir=$(realpath -m "$2")
conf="$dir/ceph.conf"
case $1 in
  start) start ;;
  stop)
    if [[ -e $dir/.ceph-for-tests ]]; then stop; else say "nothing of ours in $dir"; fi
    ;;
  *) usage ;;
esac
