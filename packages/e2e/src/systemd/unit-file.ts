import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'

/** Reads a file of `deploy/systemd`. */
export const readShipped = (name: string): string => readFileSync(workspaceFile(`deploy/systemd/${name}`), 'utf8')

/** The values of a setting in a unit, in order. */
export function valuesOf(unit: string, setting: string): string[] {
  return [...unit.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value]) => value!)
}

/** The variables of a file for `EnvironmentFile=`. */
export function variablesIn(file: string): Record<string, string> {
  return Object.fromEntries([...file.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))
}

/**
 * The variables that a unit gives its service: its own, then those of the shipped file.
 *
 * @param instance what `%i` stands for
 */
export function environmentOf(unit: string, file: string, instance = ''): Record<string, string> {
  const own = valuesOf(unit, 'Environment').flatMap((line) => line.replaceAll('%i', instance).split(' '))
  return { ...variablesIn(own.join('\n')), ...variablesIn(file) }
}
