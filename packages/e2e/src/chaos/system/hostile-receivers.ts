import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Misbehaviour } from './webhook-receiver.ts'

const slowAnswerMs = 10_000
const trickleMs = 500

/** Writes until the client leaves. */
function writeWithoutEnd(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536)
  const more = () => {
    while (response.writable && response.write(piece));
  }
  response.on('drain', more)
  more()
}

/** @param trap an address that nobody may be sent to */
export function hostileBehaviours(trap: string): Readonly<Record<string, Misbehaviour>> {
  return {
    'never answers': () => false,
    'answers late': async (response) => {
      await delay(slowAnswerMs)
      response.writeHead(204).end()
      return true
    },
    'sends its head letter by letter': (response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => socket?.write('x'), trickleMs)
      socket?.once('close', () => clearInterval(timer))
      return false
    },
    redirects: (response) => {
      response.writeHead(307, { location: trap }).end()
      return false
    },
    'answers 500': (response) => {
      response.writeHead(500).end('failed')
      return false
    },
    'closes the connection': (response) => {
      response.socket?.destroy()
      return false
    },
    'speaks another protocol': (response) => {
      response.socket?.end('SSH-2.0-hostile\r\n')
      return false
    },
    'answers without an end': (response) => {
      response.writeHead(200)
      writeWithoutEnd(response)
      return true
    }
  }
}
