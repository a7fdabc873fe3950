import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the file in a package. */
export const provenanceFile = 'provenance.json'

/** What a package was made from. */
export interface Source {
  /** The commit; null outside of a git clone. */
  readonly commit: string | null
  /** Whether files differ from the commit. */
  readonly isChanged: boolean
}

/** @param root of the workspace */
export function readSource(root: string): Source {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return { commit: git('rev-parse', 'HEAD'), isChanged: git('status', '--porcelain') !== '' }
  } catch {
    // An archive of the sources has no commit, and a build machine may have no git.
    return { commit: null, isChanged: false }
  }
}

/**
 * Describes how a package was made: an in-toto Statement v1 with a provenance predicate of SLSA v1, as JSON
 * (https://slsa.dev/spec/v1.0/provenance). It has neither a time nor a random number, so that two builds are equal.
 *
 * @param checksums of the package's other files, as `writeChecksums` returns them
 * @param root of the workspace
 */
export function writeProvenance(
  { name, version, checksums }: { name: string; version: string; checksums: string },
  { commit, isChanged }: Source,
  root: string
): string {
  const subject = [...checksums.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sha256, file]) => ({
    name: file,
    digest: { sha256 }
  }))
  const lockFile = 'pnpm-lock.yaml'
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:tollgate:npm-run-package:v1',
        externalParameters: { package: name, version },
        internalParameters: { node: process.version, changedSinceCommit: isChanged },
        resolvedDependencies: [
          ...(commit === null ? [] : [{ name: 'sources', digest: { gitCommit: commit } }]),
          { name: lockFile, digest: { sha256: hash('sha256', readFileSync(join(root, lockFile))) } }
        ]
      },
      runDetails: { builder: { id: 'urn:tollgate:npm-run-package' } }
    }
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}
