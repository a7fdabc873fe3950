import { spawn } from 'node:child_process'

// The shell waits on its standard input, which only this process holds open: however this process ends, SIGKILL
// included, the read returns. The directory is removed once the child is gone, and at the latest after five seconds.
const script = `
read -r line
kill -s "$2" "$1" 2>/dev/null
if [ -n "$3" ]; then
  tries=0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf -- "$3"
fi
`

/**
 * Sends `signal` to the process `pid` when this process ends for whatever reason, and then removes `directory` (null:
 * nothing). A small shell process does it, because nothing can run here any more by then.
 *
 * @returns a function that calls this off; to be used as soon as the process is known to have ended
 */
export function endWithParent(pid: number, signal: 'TERM' | 'INT' | 'QUIT', directory: string | null): () => void {
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', String(pid), signal, directory ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    // Its own session: a Ctrl-C in the terminal must not end it before its time.
    detached: true
  })
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  return () => {
    watcher.kill('SIGKILL')
    watcher.stdin.destroy()
  }
}
