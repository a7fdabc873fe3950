/** A CPU profile as V8 writes it (`Profiler.Profile` of the DevTools Protocol); only the members that are read here. */
export interface CpuProfile {
  nodes: Array<{ id: number; callFrame: { functionName: string; url: string; lineNumber: number } }>
  /** Ids of the nodes that were on top of the stack. */
  samples: number[]
  /** Microseconds before each sample. */
  timeDeltas: number[]
}

/** Share of the time in which a process did something, from 0 to 1. */
export interface SelfTime {
  /** The function with its file and line, or the package. */
  name: string
  share: number
}

/** Where the time of a profile went, the largest first; time in which the process waited for something to do is left out. */
export interface ProfileSummary {
  functions: SelfTime[]
  packages: SelfTime[]
  /** Microseconds that the shares refer to. */
  busyMicros: number
}

/** Adds up the self time of each function, and of each package, over all places that it is called from. */
export function summarizeProfile(profile: CpuProfile): ProfileSummary {
  const micros = new Map<number, number>()
  for (const [index, node] of profile.samples.entries()) {
    // A sample stands for the time until the next one.
    micros.set(node, (micros.get(node) ?? 0) + Math.max(0, profile.timeDeltas[index + 1] ?? 0))
  }
  const functions = new Map<string, number>()
  const packages = new Map<string, number>()
  let busyMicros = 0
  for (const { id, callFrame } of profile.nodes) {
    const spent = micros.get(id) ?? 0
    if (spent === 0 || callFrame.functionName === '(idle)') continue
    busyMicros += spent
    add(functions, functionName(callFrame), spent)
    add(packages, packageName(callFrame), spent)
  }
  return { functions: ranked(functions, busyMicros), packages: ranked(packages, busyMicros), busyMicros }
}

type CallFrame = CpuProfile['nodes'][number]['callFrame']

function functionName({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  // V8 counts lines from 0. Functions of V8 and C++ have no file.
  return url === '' ? name : `${name} ${shortPath(url)}:${lineNumber + 1}`
}

function packageName({ functionName, url }: CallFrame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native functions)'
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  const path = shortPath(url)
  const scoped = /^(@[^/]+\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? path
  return url.includes('/node_modules/') ? scoped : path.split('/').slice(0, -1).join('/')
}

/** The path after the last `node_modules`, or the last four parts of it. */
function shortPath(url: string): string {
  if (url.startsWith('node:')) return url
  const marker = '/node_modules/'
  const at = url.lastIndexOf(marker)
  return at === -1 ? url.split('/').slice(-4).join('/') : url.slice(at + marker.length)
}

function add(totals: Map<string, number>, name: string, micros: number): void {
  totals.set(name, (totals.get(name) ?? 0) + micros)
}

function ranked(totals: Map<string, number>, all: number): SelfTime[] {
  return [...totals].map(([name, micros]) => ({ name, share: micros / all })).sort((a, b) => b.share - a.share)
}
