import { readFileSync } from 'node:fs'
import { workspaceUrl } from '@tollgate/service/workspace.ts'
import { stockTemplates } from './stock-templates.ts'

/** The kinds of mails, as Supabase names their templates. */
export type MailKind = 'confirmation' | 'recovery' | 'invite' | 'magic_link' | 'email_change'

/** The variables of a template (`{{ .Name }}`), as in Supabase. */
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

/** Tollgate's templates. Operators also install them in their Supabase project. */
export const templateDirectory = workspaceUrl('deploy/supabase/')

/**
 * Loads and checks the templates.
 *
 * @param choice `tollgate` reads `<kind>.html` in `directory`; `stock` are like those of a new Supabase project
 * @throws Error that names the template: it is missing, has no `<title>`, or uses other actions than the variables above
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
    // Tollgate has no template for this, because its pages cannot change an address.
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
