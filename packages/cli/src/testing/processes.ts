import { setTimeout as delay } from 'node:timers/promises'
import { listProcesses, type Process } from '@tollgate/sandbox/child/list-processes.ts'

/** Lists `root` and all its descendants. */
export function processTree(root: number): Process[] {
  const all = listProcesses()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** Kills the processes that still run. */
export function killAll(processes: readonly Process[]): void {
  for (const { pid } of stillRunning(processes)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}

/** Resolves when all processes have ended. @throws Error that names the running ones after the timeout */
export async function untilEnded(processes: readonly Process[], timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const left = stillRunning(processes)
    if (left.length === 0) return
    if (performance.now() > deadline) {
      throw new Error(`still running: ${left.map(({ pid, command }) => `${pid} ${command}`).join(', ')}`)
    }
    await delay(50)
  }
}

function stillRunning(processes: readonly Process[]): Process[] {
  const running = new Map(listProcesses().map(({ pid, command }) => [pid, command]))
  // The command is compared, because another process may have reused the pid.
  return processes.filter(({ pid, command }) => running.get(pid) === command)
}
