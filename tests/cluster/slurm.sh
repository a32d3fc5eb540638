#!/usr/bin/env bash
# A SLURM cluster of one node on this machine's loopback, for tests. Needs root and Debian or Ubuntu, no systemd.
#
#   tests/cluster/slurm.sh start FOLDER   install what is missing, start, wait for the node, leave the rest in FOLDER
#   tests/cluster/slurm.sh stop FOLDER    end what `start` started
#
# In between sinfo, sbatch and snakemake --profile profiles/slurm work. The configuration must be where SLURM looks
# for it, /etc/slurm/slurm.conf, because jobs within jobs do not get SLURM_CONF.
set -euo pipefail

fail() { printf 'slurm.sh: %s\n' "$1" >&2; exit 1; }

[ "$#" -eq 2 ] || fail "usage: slurm.sh start|stop FOLDER"
[ "$(id -u)" -eq 0 ] || fail "this needs root: the daemons start jobs as other users"
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
conf=$folder/slurm.conf
central=/etc/slurm/slurm.conf

started() { # whether the process of a pid file is there
  [ -s "$folder/$1.pid" ] && kill -0 "$(cat "$folder/$1.pid")" 2>/dev/null
}

stop() {
  if started slurmctld; then # a job would outlive the daemons
    timeout 5 scancel --user="$(id -un)" || true
    sleep 1
  fi
  for name in slurmd slurmctld munged; do
    if started "$name"; then
      pid=$(cat "$folder/$name.pid")
      kill "$pid"
      for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    fi
  done
  [ "$(readlink "$central")" != "$conf" ] || rm "$central"
}

install_missing() {
  for program in munged slurmctld slurmd sbatch; do
    command -v "$program" >/dev/null && continue
    echo "installing slurm-wlm and munge ($program is missing)"
    export DEBIAN_FRONTEND=noninteractive
    # services that the packages would start are not wanted
    printf '#!/bin/sh\nexit 101\n' >"$folder/policy-rc.d"
    chmod +x "$folder/policy-rc.d"
    mine=0
    [ -e /usr/sbin/policy-rc.d ] || { cp "$folder/policy-rc.d" /usr/sbin/policy-rc.d; mine=1; }
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends slurm-wlm munge; } \
      >"$folder/apt.log" 2>&1 || status=$?
    [ "$mine" = 0 ] || rm -f /usr/sbin/policy-rc.d
    [ "${status:-0}" = 0 ] || { tail -20 "$folder/apt.log" >&2; fail "apt-get could not install slurm-wlm and munge"; }
    break
  done
}

configure() {
  name=$(hostname -s)
  # twice those there are: a good part of a short job is waiting
  cpus=$(($(nproc) * 2))
  memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
  cat >"$conf" <<CONF
ClusterName=fedbnsl
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
MinJobAge=300
MpiDefault=none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$name NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=test Nodes=$name Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=500
CONF
}

start() {
  install_missing
  if started slurmctld; then fail "it is running already: slurm.sh stop $folder"; fi
  if [ -e "$central" ]; then fail "this machine has a SLURM of its own: $central is there"; fi
  mkdir -p "$folder/state" "$folder/spool"
  configure
  mkdir -p /etc/slurm
  ln -sfn "$conf" "$central"
  # a key of this cluster alone; --force: the folder may be one that only root can enter
  [ -s "$folder/munge.key" ] || (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
  munged --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" || fail "munged did not start"
  slurmctld || fail "slurmctld did not start, see $folder/slurmctld.log"
  slurmd || fail "slurmd did not start, see $folder/slurmd.log"
  for _ in $(seq 60); do
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && { sinfo; return; }
    sleep 0.5
  done
  tail -20 "$folder"/slurm*.log >&2
  fail "the node did not become idle within 30 s"
}

case $action in
  start) start ;;
  stop) stop ;;
  *) fail "unknown action $action: start or stop" ;;
esac
