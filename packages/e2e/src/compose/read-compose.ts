import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parse } from 'yaml'

export interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: string | readonly string[]
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly profiles?: readonly string[]
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly stop_grace_period?: string
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } }
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** The folder of compose.yaml. */
export const composeFolder = workspaceFile('deploy/compose/')

export const composeText = readFileSync(`${composeFolder}compose.yaml`, 'utf8')

/** compose.yaml, with its anchors and merge keys, and without values for its variables. */
export const compose = parse(composeText, { merge: true }) as ComposeFile

/** A file beside compose.yaml. */
export const readBeside = (name: string): string => readFileSync(`${composeFolder}${name}`, 'utf8')

/** The names of the variables that a file such as .env.example sets, those that are commented out included. */
export const variablesOf = (text: string): string[] =>
  [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!)
