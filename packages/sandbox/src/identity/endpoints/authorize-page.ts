import { escapeHtml } from '../../mailbox/html.ts'

const style = `
  :root { color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a42); --quiet: light-dark(#5c5c66, #a2a2ae) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem }
  p { color: var(--quiet) }
  form { margin: 0 0 .75rem }
  label { display: block; margin: 0 0 .75rem }
  input:not([type=checkbox]), button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .75rem }
  button { overflow-wrap: anywhere }
  fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 1rem }
`

/**
 * Renders the page that stands for a sign-in provider. Its forms post to the address of the page.
 *
 * @param people who signed in with this provider before
 */
export function renderAuthorizePage(provider: string, people: ReadonlyArray<{ email: string; name: string }>): string {
  const name = escapeHtml(provider)
  const choices = people.map(
    (person) => `<form method="post">
      <input type="hidden" name="email" value="${escapeHtml(person.email)}">
      <input type="hidden" name="name" value="${escapeHtml(person.name)}">
      <button>Continue as ${escapeHtml(person.email)}</button>
    </form>`
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign in with ${name} (local stand-in)</title><style>${style}</style></head>
<body><main>
  <h1>Sign in with ${name}</h1>
  <p>This page stands in for ${name} on your machine. Nothing is sent to ${name}.</p>
  ${choices.join('\n')}
  <fieldset>
    <form method="post">
      <label>E-mail address <input name="email" type="email" autocomplete="off" required></label>
      <label>Name <input name="name" autocomplete="off"></label>
      <label><input name="unverified" type="checkbox"> ${name} has not verified this address</label>
      <button>Continue</button>
    </form>
  </fieldset>
  <form method="post"><button name="deny" value="1">Cancel</button></form>
</main></body></html>`
}
