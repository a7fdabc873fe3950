import { execFileSync } from 'node:child_process'

// The program of a gateway that may open few files. At its start, Node.js raises the soft limit to the hard limit, so this lowers both.
execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=256:256'])
await import('@tollgate/gateway/main.ts')
