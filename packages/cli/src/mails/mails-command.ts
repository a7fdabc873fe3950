import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Brand, brandVariables, checkBrandUrls, readBrand } from '@tollgate/service/brand/brand.ts'
import { ConfigError, loadConfig } from '@tollgate/service/config/load-config.ts'
import { type AuthMailKind, authMailKinds, renderAuthMail } from '@tollgate/service/mail/auth-mails.ts'
import Type from 'typebox'
import { CommandError, type CommandIo, exitCodes, UsageError } from '../commands/command.ts'
import { createCommand, show, table } from '../commands/create-command.ts'

const templates: Readonly<Record<AuthMailKind, string>> = {
  confirmation: 'Confirm sign up',
  recovery: 'Reset password',
  invite: 'Invite user',
  magic_link: 'Magic link'
}

/** The templates of a brand, as files of `deploy/supabase`. */
export const listMailFiles = (brand: Brand): MailFile[] =>
  authMailKinds.map((kind) => ({ file: `${kind}.html`, template: templates[kind], ...renderAuthMail(kind, brand) }))

export const mails = createCommand('mails', 'write the mail templates for Supabase Auth, in your brand', [
  {
    name: '',
    summary:
      'Writes the mail templates for your Supabase project, with BRAND_NAME, BRAND_LOGO_URL, BRAND_COLOR, SUPPORT_URL and LEGAL_URL. Run it again when one changes.',
    options: { out: { value: 'DIR', text: 'the folder to write to; with --json, it may be left out' } },
    async run(input, io) {
      const files = listMailFiles(brandOf(io.env))
      const out = input.isJson ? input.text('out') : input.required('out')
      if (out !== null) writeFiles(resolve(io.cwd, out), files)
      show(input, io, { mails: files }, () =>
        [
          table(
            [
              ['FILE', 'TEMPLATE IN SUPABASE', 'SUBJECT'],
              ...files.map(({ file, template, subject }) => [join(out!, file), template, subject])
            ],
            'None.'
          ),
          'Paste each file into Authentication → Emails → Templates, with its subject. See deploy/supabase/README.md.'
        ].join('\n\n')
      )
      return exitCodes.done
    }
  }
])

/** @throws UsageError that names each bad setting */
function brandOf(env: CommandIo['env']): Brand {
  try {
    return readBrand(loadConfig(Type.Object(brandVariables), env, [checkBrandUrls]))
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message, error) : error
  }
}

function writeFiles(directory: string, files: readonly MailFile[]): void {
  try {
    mkdirSync(directory, { recursive: true })
    for (const { file, html } of files) writeFileSync(join(directory, file), html)
  } catch (cause) {
    throw new CommandError(`${directory} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  }
}

/** A template for Supabase Auth. */
export interface MailFile {
  readonly file: string
  /** The name of the template in Supabase's dashboard. */
  readonly template: string
  readonly subject: string
  readonly html: string
}
