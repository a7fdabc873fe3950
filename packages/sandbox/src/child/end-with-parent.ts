import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

// The shell reads its standard input, which only this process holds open. So the read returns when this process ends,
// even by SIGKILL. The directory is removed once the child has ended, and at the latest after five seconds.
const script = `
trap '' HUP
read -r line
kill -s "$2" "$1" 2>/dev/null
if [ -n "$3" ]; then
  tries=0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf -- "$3"
fi
`

/**
 * Sends `signal` to the process `pid` when this process ends for any reason, and then removes `directory` (null:
 * nothing). A small shell process does this, since it must outlive this process.
 *
 * @returns a function that cancels this; call it when the process has ended
 */
export function endWithParent(pid: number, signal: 'TERM' | 'INT' | 'QUIT', directory: string | null): () => void {
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', String(pid), signal, directory ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    // In its own session, so that Ctrl-C in the terminal does not end it.
    detached: true
  })
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  if (watcher.stdin instanceof Socket) watcher.stdin.unref()
  return () => {
    watcher.kill('SIGKILL')
    watcher.stdin.destroy()
  }
}
