import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePackages } from '@tollgate/packaging/make-package.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { buildImages, createBuildah, hostArchitecture } from './build-images.ts'
import { smokeTest } from './smoke.ts'
import { findCrun } from './surroundings.ts'

t.test('both images run as an unprivileged user on a read-only root, serve, and stop cleanly', async (t) => {
  if (!need(t, 'buildah', findProgram(['buildah']))) return
  if (!need(t, 'crun, with the right to make namespaces,', await findCrun())) return
  if (!need(t, 'apt-get', findProgram(['apt-get']))) return
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  if (!need(t, 'PostgreSQL', findPostgres(process.env))) return
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-images-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const context = join(directory, 'context')
  const made = process.env.TOLLGATE_TEST_PACKAGE
  if (made === undefined) await makePackages(join(context, 'dist'))
  else cpSync(made, join(context, 'dist'), { recursive: true })
  cpSync(workspaceFile('deploy/images'), join(context, 'deploy/images'), { recursive: true })

  const buildah = createBuildah(directory)
  const images = await buildImages(buildah, { arch: hostArchitecture, base: null, context })
  await smokeTest(buildah, images, directory, (text) => t.comment(text))
})
