import { formatDecimals } from './decimals.ts'

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size, such as `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${formatDecimals(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`
}
