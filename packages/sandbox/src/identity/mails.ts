import type { Brand } from '@tollgate/service/brand/brand.ts'
import { type AuthMailKind, renderAuthMail } from '@tollgate/service/mail/auth-mails.ts'
import { escapeHtml, unescapeHtml } from '../mailbox/html.ts'
import type { MailStore } from '../mailbox/mail-store.ts'

const page = (title: string, text: string, link: string) => `<title>${title}</title>
<h2>${title}</h2>
<p>${text}</p>
<p><a href="{{ .ConfirmationURL }}">${link}</a></p>
<p>Or type this code: {{ .Token }}</p>
`

/**
 * Mails like those of a new Supabase project. They link to GoTrue, which redirects with the session in the URL
 * fragment.
 */
const stockTemplates = {
  confirmation: page('Confirm Your Email', 'This link confirms your address:', 'Confirm your address'),
  recovery: page('Reset Your Password', 'This link lets you choose a new password:', 'Reset password'),
  invite: page('You have been invited', 'Someone invited you to {{ .SiteURL }}:', 'Accept the invitation'),
  magic_link: page('Your Magic Link', 'This link signs you in:', 'Sign in'),
  email_change: page(
    'Confirm Email Change',
    'This link confirms the change of your address from {{ .Email }} to {{ .NewEmail }}:',
    'Change address'
  )
}

/** The kinds of mails, as Supabase names their templates. */
export type MailKind = AuthMailKind | 'email_change'

/** The values of a template's variables (`{{ .Name }}`), as in Supabase. */
export interface TemplateValues {
  readonly SiteURL: string
  readonly ConfirmationURL: string
  readonly Email: string
  readonly NewEmail: string
  readonly Token: string
  readonly TokenHash: string
  readonly RedirectTo: string
  readonly SendingTo: string
  /** The user's metadata. */
  readonly Data: Readonly<Record<string, unknown>>
}

export type Templates = Readonly<Record<MailKind, string>>

/** @param choice `tollgate`: Tollgate's, in the look of the brand; `stock`: like those of a new Supabase project */
export function chooseTemplates(choice: 'tollgate' | 'stock', brand: Brand): Templates {
  if (choice === 'stock') return stockTemplates
  const render = (kind: AuthMailKind) => renderAuthMail(kind, brand).html
  return {
    confirmation: render('confirmation'),
    recovery: render('recovery'),
    invite: render('invite'),
    magic_link: render('magic_link'),
    // Tollgate has no template for this, because its pages cannot change an address.
    email_change: stockTemplates.email_change
  }
}

interface RenderedMail {
  subject: string
  html: string
}

/**
 * Fills in a template. It may have `{{ .Name }}`, `{{ .Data.name }}` and, not nested, `{{ if eq .A .B }}…{{ else }}…{{
 * end }}`. Values are escaped for their place, as in Go's html/template: as text, or in the query of a link.
 *
 * @throws Error that names another action of Go's template language
 */
export function renderTemplate(template: string, values: TemplateValues): RenderedMail {
  const chosen = template.replace(
    /\{\{ if eq (\S+) (\S+) \}\}(.*?)(?:\{\{ else \}\}(.*?))?\{\{ end \}\}/gs,
    (_action, left: string, right: string, same: string, other = '') =>
      isSame(readVariable(left, values), readVariable(right, values)) ? same : other
  )
  const html = chosen.replace(/\{\{ *(.*?) *\}\}/gs, (_action, name: string, offset: number) => {
    const value = readVariable(name, values)
    const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    return escapeHtml(isInQuery(chosen.slice(0, offset)) ? encodeURIComponent(text) : text)
  })
  return { subject: unescapeHtml(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '').trim(), html }
}

/** Values of different types fail in Go; here they only differ. */
const isSame = (left: unknown, right: unknown): boolean => left === right

/** @param name such as `.Email` or `.Data.name` */
function readVariable(name: string, values: TemplateValues): unknown {
  const [, variable = '', member] = /^\.(\w+)(?:\.(\w+))?$/.exec(name) ?? []
  if (variable === 'Data' && member !== undefined) {
    return Object.hasOwn(values.Data, member) ? values.Data[member] : undefined
  }
  if (!Object.hasOwn(values, variable) || member !== undefined) {
    throw new Error(`{{ ${name} }} is not supported in mail templates here.`)
  }
  return values[variable as keyof TemplateValues]
}

function isInQuery(before: string): boolean {
  return /\bhref="[^"]*\?[^"]*$/.test(before)
}

/** Sends a mail. */
export type MailSender = (kind: MailKind, to: string, values: TemplateValues) => void

interface MailSenderOptions {
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
