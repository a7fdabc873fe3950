import { type MailServerOptions, mailPassword, startMailServer } from '../mail-server.ts'
import { deadPort, type Fault, withEnv } from './fault.ts'

const mailServer = (name: string, code: string, options: MailServerOptions): Fault => ({
  name,
  codes: [code],
  async make() {
    const { env, close } = await startMailServer(options)
    return { env, undo: close }
  }
})

const MAIL_FROM = 'no-reply@example.com'

export const mailFaults: readonly Fault[] = [
  withEnv('nothing listens at the mail server', ['mail_unreachable'], {
    SMTP_URL: `smtp://127.0.0.1:${deadPort}`,
    MAIL_FROM
  }),
  withEnv('the host of the mail server is unknown', ['mail_unreachable'], {
    SMTP_URL: 'smtp://mail.invalid',
    MAIL_FROM
  }),
  mailServer('the mail server refuses every connection', 'mail_unreachable', {
    greeting: '554 go away',
    password: mailPassword
  }),
  mailServer('the password of the mail server is wrong', 'mail_login_refused', { password: 'another password' }),
  {
    name: 'the mail server has no TLS from the start',
    codes: ['mail_without_tls'],
    async make() {
      const { env, close } = await startMailServer({ password: mailPassword })
      return { env: { ...env, SMTP_URL: env.SMTP_URL.replace('smtp:', 'smtps:') }, undo: close }
    }
  }
]
