import { PortTakenError } from '../port-taken-error.ts'
import { runProgram } from '../run-program.ts'
import { readIdentityConfig } from './config.ts'
import { startIdentity } from './start-identity.ts'

await runProgram('SANDBOX_IDENTITY_PORT', async () => {
  const options = readIdentityConfig()
  try {
    const { url, mailboxUrl, close } = await startIdentity({ ...options, isLogging: true })
    return { readyLine: `identity is ready at ${url}; its mailbox is at ${mailboxUrl}`, stop: close }
  } catch (error) {
    for (const [port, variable] of [
      [options.mailboxPort, 'SANDBOX_MAILBOX_PORT'],
      [options.smtpPort, 'SANDBOX_SMTP_PORT']
    ] as const) {
      if (!(error instanceof PortTakenError) || error.port !== port) continue
      throw new Error(new PortTakenError(port, variable).message, { cause: error })
    }
    throw error
  }
})
