import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { version } from '@tollgate/service/version.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Architecture, Buildah } from './buildah.ts'

const run = promisify(execFile)

export const hostArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

export interface ImagesOptions {
  readonly arch: Architecture
  /** The base image; null to make one from Debian packages and Node's npm package. */
  readonly base: string | null
  /** The folder with `dist` of `npm run package` and with `deploy`; the root of the workspace by default. */
  readonly context?: string
}

/** The names of the images of a release. */
export interface Images {
  readonly gateway: string
  readonly control: string
}

/** Builds both images from the folders of `npm run package`, with the version and commit of this clone in their labels. */
export async function buildImages(buildah: Buildah, options: ImagesOptions): Promise<Images> {
  const { arch, base, context = workspaceFile('') } = options
  for (const service of ['gateway', 'control']) {
    if (!existsSync(join(context, 'dist', service, 'main.js'))) {
      throw new Error(`dist/${service} is missing. Run: npm run package`)
    }
  }
  const { revision, timestampS } = await readCommit()
  const common = { arch, timestampS }
  const baseName = base ?? (await buildBase(buildah, common))
  const build = async (service: string): Promise<string> => {
    const name = `tollgate-${service}:${version}${arch === hostArchitecture ? '' : `-${arch}`}`
    await buildah.build({
      ...common,
      name,
      containerfile: workspaceFile(`deploy/images/${service}.Containerfile`),
      context,
      args: { BASE: baseName, VERSION: version, REVISION: revision }
    })
    return name
  }
  return { gateway: await build('gateway'), control: await build('control') }
}

async function buildBase(buildah: Buildah, common: { arch: Architecture; timestampS: number }): Promise<string> {
  const name = `localhost/tollgate-base:node24-${common.arch}`
  await buildah.build({
    ...common,
    name,
    containerfile: workspaceFile('deploy/images/base.Containerfile'),
    context: await baseTree(common.arch),
    args: {}
  })
  return name
}

/**
 * The files of a base image, made once a day for a version of Node.js: Debian's packages get security fixes.
 *
 * @returns their folder, which other processes may use at the same time
 */
async function baseTree(arch: Architecture): Promise<string> {
  const script = workspaceFile('deploy/images/make-base')
  const day = new Date().toISOString().slice(0, 10)
  const key = createHash('sha256').update(readFileSync(script)).update(process.version).digest('hex').slice(0, 12)
  const name = `${arch}-${key}-${day}`
  const cache = workspaceFile('node_modules/.cache/tollgate-base-images')
  const tree = join(cache, name)
  if (existsSync(tree)) return tree
  mkdirSync(cache, { recursive: true })
  const work = `${tree}.${process.pid}`
  try {
    const node = await fetchNode(arch, work)
    await run(script, ['--arch', arch, '--node', node, join(work, 'tree')])
    for (const other of readdirSync(cache)) {
      if (other.startsWith(`${arch}-`) && !other.startsWith(name)) rmSync(join(cache, other), { recursive: true })
    }
    renameSync(join(work, 'tree'), tree)
  } catch (error) {
    if (!existsSync(tree)) throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return tree
}

/** The version of Node that the workspace uses, from the npm registry, with its licence. */
async function fetchNode(arch: Architecture, work: string): Promise<string> {
  mkdirSync(work, { recursive: true })
  const name = `node-linux-${arch === 'amd64' ? 'x64' : 'arm64'}@${process.version.slice(1)}`
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', work, name])
  await run('tar', ['-x', '-z', '-C', work, '-f', join(work, stdout.trim())])
  return join(work, 'package/bin/node')
}

async function readCommit(): Promise<{ revision: string; timestampS: number }> {
  try {
    const { stdout } = await run('git', ['log', '-1', '--format=%H %ct'], { cwd: workspaceFile('') })
    const [revision = '', seconds = ''] = stdout.trim().split(' ')
    return { revision, timestampS: Number(seconds) }
  } catch {
    // A copy of the files without their history.
    return { revision: 'unknown', timestampS: 0 }
  }
}
