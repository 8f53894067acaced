# A Slurm cluster of one node, on the loopback interface, without systemd. To be sourced.

# Starts the daemons below the folder $1. Fails with a message if it cannot.
slurm_start() {
    local folder=$1 cores memory name port=$((20000 + $$ % 10000))
    cores=$(nproc)
    memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
    name=$(hostname -s)
    mkdir -p "$folder"/{state,spool}
    # The daemon refuses a key or a socket in a folder that others may change.
    chmod 755 "$folder"
    dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
    chmod 400 "$folder/munge.key"
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
        --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" 2>"$folder/munge.err" || {
        cat "$folder/munge.err"
        return 1
    }
    # A requeued job waits until its old credential has expired, by default two
    # minutes. Five seconds is the minimum.
    cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
NodeName=$name NodeAddr=127.0.0.1 CPUs=$cores RealMemory=$memory
PartitionName=main Nodes=$name Default=YES State=UP
# Five jobs on each core.
PartitionName=shared Nodes=$name OverSubscribe=FORCE:5 State=UP
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
CONF
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld && slurmd || return 1
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
        sleep 0.2
    done
    sinfo || true
    tail -n 5 "$folder"/slurm*.log
    return 1
}

# Cancels all jobs and stops the daemons below the folder $1.
slurm_stop() {
    local folder=$1 daemon pid tries
    [ -e "$folder/slurm.conf" ] && scancel --quiet --signal=KILL --full --user="$(id -un)" 2>/dev/null
    for daemon in slurmd slurmctld munge; do
        [ -s "$folder/$daemon.pid" ] || continue
        pid=$(cat "$folder/$daemon.pid")
        kill "$pid" 2>/dev/null || continue
        for ((tries = 0; tries < 50; tries++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null
    done
    return 0
}
