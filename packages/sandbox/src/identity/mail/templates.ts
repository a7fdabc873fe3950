import type { Brand } from '@tollgate/service/brand/brand.ts'
import { type AuthMailKind, renderAuthMail } from '@tollgate/service/mail/auth-mails.ts'
import { stockTemplates } from './stock-templates.ts'

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
