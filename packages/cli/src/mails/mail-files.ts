import type { Brand } from '@tollgate/service/brand/brand.ts'
import { type AuthMailKind, authMailKinds, renderAuthMail } from '@tollgate/service/mail/auth-mails.ts'

/** A template for Supabase Auth. */
export interface MailFile {
  readonly file: string
  /** The name of the template in Supabase's dashboard. */
  readonly template: string
  readonly subject: string
  readonly html: string
}

const templates: Readonly<Record<AuthMailKind, string>> = {
  confirmation: 'Confirm sign up',
  recovery: 'Reset password',
  invite: 'Invite user',
  magic_link: 'Magic link'
}

/** The templates of a brand, as files of `deploy/supabase`. */
export const listMailFiles = (brand: Brand): MailFile[] =>
  authMailKinds.map((kind) => ({ file: `${kind}.html`, template: templates[kind], ...renderAuthMail(kind, brand) }))
