import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Address as ParsedAddress } from 'postal-mime'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { portFailure } from '../free-port.ts'
import { escapeHtml } from './html.ts'
import type { Address, MailStore, OutgoingMail } from './mail-store.ts'

const maxBytes = 1_048_576
/** Senders keep connections open for later mails. They must not delay a stop. */
const closeTimeoutMs = 100

export interface RunningSmtp {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts a mail server on 127.0.0.1 that puts every mail into the mailbox, without a login and without TLS.
 *
 * @param port 0 chooses a free port
 * @param warn called with failures
 * @throws PortTakenError if another program uses the port
 */
export async function startSmtp(
  mails: MailStore,
  { port, now, warn }: { port: number; now: () => number; warn: (what: string) => void }
): Promise<RunningSmtp> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxBytes,
    closeTimeout: closeTimeoutMs,
    onData(stream, { envelope }, done) {
      readMail(
        stream,
        envelope.rcptTo.map(({ address }) => address)
      )
        .then((mail) => mails.add(mail, now()))
        .then(() => done(), done)
    }
  })
  server.on('error', (error: Error) => warn(`mail server: ${error.message}`))
  try {
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  } catch (error) {
    throw portFailure(error, port)
  }
  const address = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}

async function readMail(stream: Readable, recipients: readonly string[]): Promise<OutgoingMail> {
  const { from, to, subject = '', html, text } = await PostalMime.parse(await buffer(stream))
  const named = (to ?? []).flatMap(toAddresses)
  return {
    from: from === undefined ? { Name: '', Address: '' } : (toAddresses(from)[0] ?? { Name: '', Address: '' }),
    to: named.length > 0 ? named : recipients.map((address) => ({ Name: '', Address: address })),
    subject,
    html: html ?? `<pre>${escapeHtml(text ?? '')}</pre>`,
    ...(text !== undefined && { text: text.trim() })
  }
}

/** The members of a group of addresses, or the address itself. */
const toAddresses = (entry: ParsedAddress): Address[] =>
  (entry.group ?? [entry]).map(({ name, address }) => ({ Name: name ?? '', Address: address ?? '' }))
