import { once } from 'node:events'
import { connect } from 'node:net'

/** What a probe understands: see probe.ts. */
type Word = 'turns' | 'allocate' | 'allocated' | 'count' | 'timers' | 'immediates' | 'promises'

/** The flags of a Node process with a probe at a Unix socket. */
export function probeFlags(socketPath: string): string[] {
  const probe = new URL('./probe.ts', import.meta.url)
  probe.searchParams.set('socket', socketPath)
  return ['--import', probe.href]
}

/** Asks the probe of a measured process. @returns its answer. Throws if the process has no probe */
export async function askProbe(socketPath: string, word: Word): Promise<number> {
  const socket = connect(socketPath)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  socket.write(word)
  await once(socket, 'close')
  if (answer === '') throw new Error(`the probe did not answer to "${word}"`)
  return Number(answer)
}
