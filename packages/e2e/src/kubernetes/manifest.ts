import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { IProbe } from 'kubernetes-models/v1/Probe'
import { parseAllDocuments } from 'yaml'

/** null if the machine has none. */
export const kubectl = findProgram(['kubectl'])

/** The kustomizations that operators apply, and those that their overlay may include. */
export const overlays = ['overlays/small', 'overlays/large']

export const options = ['optional/gateway-api', 'optional/ingress', 'optional/monitoring']

/** Any object that kubectl applies. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels }
}

export type Labels = Readonly<Record<string, string>>
type Workload = IDeployment | IStatefulSet | IJob

/** The pods of a Deployment, StatefulSet or Job. */
export interface Pods {
  readonly owner: Manifest
  readonly labels: Labels
  readonly spec: IPodSpec
}

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`

/** All objects of a kind, with the type of that kind. The caller has checked the schema of all objects. */
export function allOf<Kind>(manifests: readonly Manifest[], kind: string): Array<Kind & Manifest> {
  return manifests.filter((manifest): manifest is Kind & Manifest => manifest.kind === kind)
}

/** @throws if there is no such object */
export function oneOf<Kind>(manifests: readonly Manifest[], kind: string, name: string): Kind & Manifest {
  const manifest = allOf<Kind>(manifests, kind).find(({ metadata }) => metadata.name === name)
  if (manifest === undefined) throw new Error(`there is no ${kind} ${name}`)
  return manifest
}

export function podsOf(manifests: readonly Manifest[]): Pods[] {
  return ['Deployment', 'StatefulSet', 'Job']
    .flatMap((kind) => allOf<Workload>(manifests, kind))
    .map((owner) => ({
      owner,
      labels: owner.spec!.template.metadata!.labels!,
      spec: owner.spec!.template.spec!
    }))
}

/** The first container of a workload's pods. Here, each pod has one. */
export function containerOf(manifests: readonly Manifest[], workload: string): IContainer {
  const pods = podsOf(manifests).find(({ owner }) => owner.metadata.name === workload)
  if (pods === undefined) throw new Error(`there is no workload ${workload}`)
  return pods.spec.containers[0]!
}

export function probesOf({ startupProbe, readinessProbe, livenessProbe }: IContainer): Array<IProbe | undefined> {
  return [startupProbe, readinessProbe, livenessProbe]
}

/**
 * The variables of a container with known values: its own, and those of its ConfigMaps. Secrets have the value null.
 */
export function variablesOf(manifests: readonly Manifest[], container: IContainer): Map<string, string | null> {
  const variables = new Map<string, string | null>()
  for (const { configMapRef } of container.envFrom ?? []) {
    const { data } = oneOf<IConfigMap>(manifests, 'ConfigMap', configMapRef!.name!)
    for (const [name, value] of Object.entries(data ?? {})) variables.set(name, value)
  }
  for (const { name, value } of container.env ?? []) variables.set(name, value ?? null)
  return variables
}

/**
 * Renders a folder of `deploy/kubernetes` as `kubectl apply -k` would.
 *
 * @throws if kubectl reports an error. Its warnings are ignored: the files also suit kubectl 1.20, so newer versions
 *   call some fields old
 */
export async function render(folder: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)(kubectl!, ['kustomize', workspaceFile(`deploy/kubernetes/${folder}`)])
  return parseAllDocuments(stdout).map((document) => {
    for (const error of document.errors) throw error
    return document.toJS() as Manifest
  })
}
