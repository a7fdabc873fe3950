import { useSearch } from '@tanstack/react-router'
import { onlyOf, type UsageOnly } from './usage-search.ts'

/** The key and the model that the usage page is about, by its address: links to requests keep them. */
export const useOnly = (): UsageOnly => onlyOf(useSearch({ from: '/dashboard/usage' }))
