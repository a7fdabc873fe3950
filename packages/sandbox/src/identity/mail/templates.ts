import type { Brand } from '@tollgate/service/brand/brand.ts'
import { type AuthMailKind, renderAuthMail } from '@tollgate/service/mail/auth-mails.ts'

const page = (title: string, text: string, link: string) => `<title>${title}</title>
<h2>${title}</h2>
<p>${text}</p>
<p><a href="{{ .ConfirmationURL }}">${link}</a></p>
<p>Or type this code: {{ .Token }}</p>
`

/**
 * Mails like those of a new Supabase project. They link to GoTrue, which redirects with the session in the URL fragment.
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
