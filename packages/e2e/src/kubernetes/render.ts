import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from './manifest.ts'

/** null if the machine has none. */
export const kubectl = findProgram(['kubectl'])

/** The kustomizations that operators apply, and those that their overlay may include. */
export const overlays = ['overlays/small', 'overlays/large']
export const options = ['optional/gateway-api', 'optional/ingress', 'optional/monitoring']

/**
 * Renders a folder of `deploy/kubernetes` as `kubectl apply -k` would.
 *
 * @throws if kubectl reports an error. Its warnings are ignored: the files also suit kubectl 1.20, so newer versions call some fields old
 */
export async function render(folder: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)(kubectl!, ['kustomize', workspaceFile(`deploy/kubernetes/${folder}`)])
  return parseAllDocuments(stdout).map((document) => {
    for (const error of document.errors) throw error
    return document.toJS() as Manifest
  })
}
