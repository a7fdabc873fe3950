import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

export const mailPassword = 'password-of-the-mail-server'

/** How the server answers. */
export interface MailServerOptions {
  /** Its first words. */
  readonly greeting?: string
  /** The only password that it accepts. */
  readonly password: string
}

/** Starts a mail server of few words that knows the user `ada`. */
export async function startMailServer({ greeting = '220 ready', password }: MailServerOptions) {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const login = Buffer.from(`\0ada\0${password}`).toString('base64')
  const answers: Record<string, (line: string) => string> = {
    EHLO: () => '250-ready\r\n250 AUTH PLAIN',
    AUTH: (line) => (line === `AUTH PLAIN ${login}` ? '235 welcome' : '535 wrong password'),
    MAIL: (line) => {
      mails.push(line)
      return '250 ok'
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // Clients may leave at any time.
    socket.write(`${greeting}\r\n`)
    const lines = createInterface(socket)
    lines.on('error', () => {}) // It repeats those of the socket.
    lines.on('line', (line) => {
      const answer = answers[line.split(' ')[0]!.toUpperCase()] ?? (() => '250 ok')
      socket.write(`${answer(line)}\r\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** The variables of control. */
    env: {
      SMTP_URL: `smtp://ada:${encodeURIComponent(mailPassword)}@127.0.0.1:${port}`,
      MAIL_FROM: 'Tollgate <no-reply@example.com>'
    },
    mails,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
