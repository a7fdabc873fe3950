const page = (title: string, text: string, link: string) => `<title>${title}</title>
<h2>${title}</h2>
<p>${text}</p>
<p><a href="{{ .ConfirmationURL }}">${link}</a></p>
<p>Or type this code: {{ .Token }}</p>
`

/**
 * Mails like those of a new Supabase project. They link to GoTrue, which redirects with the session in the URL fragment.
 */
export const stockTemplates = {
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
