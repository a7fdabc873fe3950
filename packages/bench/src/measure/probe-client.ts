import { once } from 'node:events'
import { connect } from 'node:net'

/** Asks the probe of a measured process. @returns its answer. Throws if the process has no probe */
export async function askProbe(socketPath: string, word: 'turns' | 'allocate' | 'allocated'): Promise<number> {
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
