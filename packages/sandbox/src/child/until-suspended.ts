import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const retryMs = 1

/**
 * Resolves when a process that was sent SIGSTOP has stopped, or ended. On a busy machine it goes on for a while: a
 * signal counts when the process is next given a core. Where there is no `/proc`, resolves at once.
 */
export async function untilSuspended(pid: number): Promise<void> {
  while ((await stateOf(pid)) === 'going on') await delay(retryMs)
}

async function stateOf(pid: number): Promise<'going on' | 'suspended' | 'unknown'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return 'unknown'
  // After the program's name, which is in brackets and may contain some: one letter.
  return 'TtZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? 'X') ? 'suspended' : 'going on'
}
