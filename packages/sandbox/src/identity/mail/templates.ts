import { readFileSync } from 'node:fs'
import { workspaceUrl } from '@tollgate/service/workspace.ts'
import { stockTemplates } from './stock-templates.ts'

/** The mails of the server, by the names that Supabase has for their templates. */
export type MailKind = 'confirmation' | 'recovery' | 'invite' | 'magic_link' | 'email_change'

/** What a template can insert as `{{ .Name }}`, as in Supabase's own. */
export const templateVariables = [
  'SiteURL',
  'ConfirmationURL',
  'Email',
  'NewEmail',
  'Token',
  'TokenHash',
  'RedirectTo',
  'SendingTo'
] as const
export type TemplateValues = Readonly<Record<(typeof templateVariables)[number], string>>

export type Templates = Readonly<Record<MailKind, string>>

/** Tollgate's templates, which operators install in their Supabase project too. */
export const templateDirectory = workspaceUrl('deploy/supabase/')

/**
 * Loads and checks the templates.
 *
 * @param choice `tollgate` reads `<kind>.html` in `directory`; `stock` are in the shape of a project nobody configured
 * @throws Error naming the template that is missing, has no `<title>`, or uses more than the variables above
 */
export function loadTemplates(choice: 'tollgate' | 'stock', directory: URL = templateDirectory): Templates {
  const load = (kind: Exclude<MailKind, 'email_change'>) => {
    const template =
      choice === 'stock' ? stockTemplates[kind] : readFileSync(new URL(`${kind}.html`, directory), 'utf8')
    checkTemplate(kind, template)
    return template
  }
  return {
    confirmation: load('confirmation'),
    recovery: load('recovery'),
    invite: load('invite'),
    magic_link: load('magic_link'),
    // Tollgate has none: no page of it changes an address.
    email_change: stockTemplates.email_change
  }
}

function checkTemplate(kind: MailKind, template: string): void {
  if (!/<title>[^<]+<\/title>/.test(template))
    throw new Error(`Mail template ${kind}: it has no <title> for the subject.`)
  for (const [action] of template.matchAll(/\{\{[\s\S]*?\}\}/g)) {
    const name = /^\{\{ *\.(\w+) *\}\}$/.exec(action)?.[1]
    if (!templateVariables.some((variable) => variable === name)) {
      throw new Error(`Mail template ${kind}: ${action} is not supported here.`)
    }
  }
}
