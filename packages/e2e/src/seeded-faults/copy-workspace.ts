import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspaceFile } from '@tollgate/service/workspace.ts'

const root = workspaceFile('')
/** A cache remembers the sources of one workspace. */
const isShared = (name: string) => name !== '.cache'

/**
 * Copies the workspace as it is now, with changes that are not committed, into a new temporary directory. The copy uses the
 * installed libraries of the original, but its own packages.
 *
 * @returns the path of the copy
 */
export function copyWorkspace(): string {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-seeded-faults-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26
  })
  // Files that were deleted and not committed are listed, too.
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
  for (const file of files) cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter(isShared)) {
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  // Relative links lead to the packages of the copy.
  for (const directory of globSync('{packages,services}/*/node_modules', { cwd: root })) {
    cpSync(join(root, directory), join(copy, directory), { recursive: true, verbatimSymlinks: true })
  }
  return copy
}
