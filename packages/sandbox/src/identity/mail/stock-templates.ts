import type { Templates } from './templates.ts'

const page = (title: string, text: string, link: string) => `<title>${title}</title>
<h2>${title}</h2>
<p>${text}</p>
<p><a href="{{ .ConfirmationURL }}">${link}</a></p>
<p>Or type this code: {{ .Token }}</p>
`

/**
 * Mails in the shape of the ones that a Supabase project sends before anyone edits them: the link is one of GoTrue,
 * which redirects with the session in the fragment of the address.
 */
export const stockTemplates: Templates = {
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
