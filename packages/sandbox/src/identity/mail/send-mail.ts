import type { MailStore } from '../../mailbox/mail-store.ts'
import { renderTemplate } from './render-template.ts'
import type { MailKind, Templates, TemplateValues } from './templates.ts'

/** Sends a mail. */
export type MailSender = (kind: MailKind, to: string, values: TemplateValues) => void

export interface MailSenderOptions {
  readonly templates: Templates
  /** The name of the sender. */
  readonly name: string
  readonly now: () => number
}

/** Stores mails in the mailbox, in the transaction of the request that sends them. */
export function createMailSender(mails: MailStore, { templates, name, now }: MailSenderOptions): MailSender {
  const sender = { Name: name, Address: 'no-reply@mails.test' }
  return (kind, to, values) => {
    const { subject, html } = renderTemplate(templates[kind], values)
    mails.add({ from: sender, to: [{ Name: '', Address: to }], subject, html }, now())
  }
}
