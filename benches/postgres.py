"""Counts of a table in PostgreSQL, measured: CPU seconds of the server, CPU seconds and peak memory of the client (docs/beyond-memory.md).

    python3 benches/postgres.py LOOKALIKE FOLDER [ROWS]

LOOKALIKE is an optimised binary with the feature `postgres`, FOLDER what benches/large_table.py made, ROWS how many of its records are loaded (2,000,000). A server of its own is started on
a socket, with 512 MB of buffers, 64 MB for each sort and two workers, and taken away again. Every release and count file is compared with the one from the files. Needs pyarrow and
Debian's PostgreSQL (`apt-get install postgresql`); as root the server runs as the user postgres.
"""

import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SETTINGS = """
unix_socket_directories = '{place}'
listen_addresses = ''
fsync = off
shared_buffers = 512MB
work_mem = 64MB
max_parallel_workers_per_gather = 2
max_wal_size = 4GB
autovacuum = off
"""


class Server:
    def __init__(self, place):
        self.place = Path(place)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            sys.exit("PostgreSQL is not installed (apt-get install postgresql)")
        self.bin = Path(found[-1])
        self.role = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
        if self.role:
            shutil.chown(place, "postgres")
            os.chmod(place, 0o755)
        self.data = self.place / "data"
        self.run(self.bin / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(SETTINGS.format(place=place))
        self.control("start", "-l", self.place / "log")
        self.process = int((self.data / "postmaster.pid").read_text().split()[0])

    def run(self, *command):
        subprocess.run([*self.role, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd=self.place)

    def control(self, *command):
        self.run(self.bin / "pg_ctl", "-D", self.data, "-w", *command)

    def sql(self, text, **pipe):
        command = [self.bin / "psql", "-h", self.place, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-qtAc", text]
        return subprocess.run(list(map(str, command)), check=True, capture_output=True, **pipe).stdout.decode().strip()

    def cpu(self):
        """Of the server and of all its sessions that ended."""
        stat = Path(f"/proc/{self.process}/stat").read_text().rsplit(") ", 1)[1].split()
        return sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK")


def load(server, folder, rows):
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    columns, left = None, rows
    for file in sorted(folder.glob("*.parquet")):
        if not left:
            break
        table = pq.read_table(file).slice(0, left)
        left -= table.num_rows
        if columns is None:
            columns = ", ".join(f'"{name}" ' + {"int64": "bigint", "double": "double precision"}.get(str(held), "text") for name, held in zip(table.column_names, table.schema.types))
            server.sql(f"CREATE UNLOGGED TABLE people ({columns})")
        text = io.BytesIO()
        csv.write_csv(table, text, csv.WriteOptions(include_header=False))
        server.sql("COPY people FROM STDIN (FORMAT csv)", input=text.getvalue())
        pq.write_table(table, server.place.parent / "files" / file.name)
    server.sql("VACUUM ANALYZE people")
    assert server.sql("SELECT count(*) FROM people") == str(rows - left)


def main(lookalike, folder, rows=2_000_000):
    folder = Path(folder)
    schema = ["--schema", folder.with_suffix(".schema.toml"), "--quiet"]
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    os.chmod(work, 0o755)
    server = None
    try:
        for name in ["server", "files"]:
            (work / name).mkdir()
        server = Server(work / "server")
        # In a process of its own: a child's peak is never below what its parent held.
        if (loader := os.fork()) == 0:
            load(server, folder, int(rows))
            os._exit(0)
        if os.waitpid(loader, 0)[1]:
            sys.exit("the table was not loaded")

        def timed(name, *arguments):
            before = server.cpu()
            process = subprocess.Popen([str(argument) for argument in [lookalike, *arguments, *schema]], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            client = used.ru_utime + used.ru_stime
            failed = "" if status == 0 else f"  FAILED {status}"
            print(f"{name:<46} server {server.cpu() - before:7.2f} CPU s, client {client:6.2f} CPU s {used.ru_maxrss / 1000:6.0f} MB{failed}", flush=True)

        there, here = f"postgresql://postgres@/postgres/people?host={work / 'server'}", work / "files"
        for where, data in [("table", there), ("files", here)]:
            timed(f"all pairs, {where}", "counts", data, "--out", work / f"{where}.counts")
            private = ["--records", rows, "--method", "ipf", "--epsilon", "1", "--insecure-test-seed", "1", "--rows", "100000"]
            timed(f"private ipf, {where}", "synth", data, *private, "--out", work / f"{where}.release")
        timed("plan, all variables together, table", "plan", there)
        same = (work / "table.release/synthetic-1.csv").read_bytes() == (work / "files.release/synthetic-1.csv").read_bytes()
        print(f"releases from the table and from the files are {'equal' if same else 'DIFFERENT'} byte for byte")
    finally:
        if server:
            server.control("stop", "-m", "immediate")
        shutil.rmtree(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
