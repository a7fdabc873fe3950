import type { Brand } from '../brand/brand.ts'
import { brandLinks, paragraph, plain, renderFrame } from './render-frame.ts'

/** The mails of Supabase Auth that Tollgate has templates for, as Supabase names them. */
export const authMailKinds = ['confirmation', 'recovery', 'invite', 'magic_link'] as const
export type AuthMailKind = (typeof authMailKinds)[number]

/** A template of Supabase Auth. */
export interface AuthMail {
  /** The same as the `<title>` of the HTML. */
  readonly subject: string
  /** With Go actions such as `{{ .TokenHash }}`, which Supabase Auth fills in and escapes. */
  readonly html: string
}

interface Words {
  /** Without values: operators type it into Supabase as the subject. */
  readonly title: string
  readonly text: string
  readonly button: { readonly text: string; readonly url: string }
  readonly why: string
}

/**
 * Names the inviter, whom control writes to the user's metadata. Users can write it, too, so it must be of this very link. A
 * link has a secret that nobody can guess.
 */
const invited = (at: string): string =>
  `{{ if eq .Data.invitation_link .RedirectTo }}{{ .Data.invited_by }} invited you to their team at ${at}.{{ else }}You have been invited to a team at ${at}.{{ end }}`

/** @param at the name of the service, as HTML */
const wordsOf: Readonly<Record<AuthMailKind, (at: string) => Words>> = {
  confirmation: (at) => ({
    title: 'Confirm your e-mail address',
    text: `Someone registered {{ .Email }} at ${at}. If this was you, confirm your address with the button below. You will be asked for the password you chose.`,
    button: {
      text: 'Confirm address',
      url: '{{ .SiteURL }}/api/auth/confirm?token_hash={{ .TokenHash }}&amp;type=email'
    },
    why: 'The link works once. If you did not register, ignore this e-mail. Without your confirmation, nobody can use the account.'
  }),
  recovery: (at) => ({
    title: 'Choose a new password',
    text: `Someone requested a new password for {{ .Email }} at ${at}. If this was you, choose one with the button below.`,
    button: {
      text: 'Choose a new password',
      url: '{{ .SiteURL }}/api/auth/confirm?token_hash={{ .TokenHash }}&amp;type=recovery'
    },
    why: 'The link works once. If you did not request it, ignore this e-mail. Your password stays the same.'
  }),
  invite: (at) => ({
    title: 'You have been invited to a team',
    text: `${invited(at)} Your e-mail address there is {{ .Email }}.`,
    button: { text: 'Accept the invitation', url: '{{ .RedirectTo }}#token_hash={{ .TokenHash }}&amp;type=invite' },
    why: 'The link works once. If you did not expect this invitation, ignore this e-mail.'
  }),
  magic_link: (at) => ({
    title: 'You have been invited to a team',
    text: `${invited(at)} Your account there is {{ .Email }}.`,
    button: { text: 'Open the invitation', url: '{{ .RedirectTo }}' },
    why: 'Sign in to see the invitation. You join only if you accept it there. If you did not expect this invitation, ignore this e-mail.'
  })
}

/** Writes the template of a mail in the look of a brand. The same brand gives the same text. */
export function renderAuthMail(kind: AuthMailKind, brand: Brand): AuthMail {
  const { title, text, button, why } = wordsOf[kind](plain(brand.name))
  const parts = { subject: title, title, content: paragraph(text), button, why, links: brandLinks(brand) }
  return { subject: title, html: renderFrame(brand, parts) }
}
