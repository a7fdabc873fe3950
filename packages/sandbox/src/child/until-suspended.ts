import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const retryMs = 1

/**
 * Resolves when a process is suspended after SIGSTOP, or has ended. On a busy machine this takes a while: the process
 * handles the signal when it next runs. Without `/proc` it resolves at once.
 */
export async function untilSuspended(pid: number): Promise<void> {
  while ((await stateOf(pid)) === 'running') await delay(retryMs)
}

async function stateOf(pid: number): Promise<'running' | 'suspended' | 'unknown'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return 'unknown'
  // The state follows the program's name. The name is in parentheses and can contain parentheses.
  return 'TtZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? 'X') ? 'suspended' : 'running'
}
