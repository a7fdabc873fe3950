import type { MailStore } from '../../mailbox/mail-store.ts'
import { renderTemplate } from './render-template.ts'
import type { MailKind, Templates, TemplateValues } from './templates.ts'

/** Sends a mail. */
export type MailSender = (kind: MailKind, to: string, values: TemplateValues) => void

const sender = { Name: 'Tollgate', Address: 'no-reply@tollgate.test' }

/** Stores mails in the mailbox, in the transaction of the request that sends them. */
export function createMailSender(mails: MailStore, templates: Templates, now: () => number): MailSender {
  return (kind, to, values) => {
    const { subject, html } = renderTemplate(templates[kind], values)
    mails.add({ from: sender, to: [{ Name: '', Address: to }], subject, html }, now())
  }
}
