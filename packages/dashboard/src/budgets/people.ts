import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { isolate, visibleText } from '../format/visible-text.ts'
import type { Option } from '../ui/select-box.tsx'

/** Whose keys a budget of the account may count: the id of each person, with words. Empty while it is not known. */
export function usePeople(): readonly Option[] {
  const { data } = useQuery(read('getTeam'))
  const members = data?.team.members ?? []
  const isUnique = (name: string) => members.filter((member) => member.name === name).length === 1
  return members.map(({ id, name, email }) => [
    id,
    `Keys of ${visibleText(name) !== '' && isUnique(name) ? isolate(name) : email}`
  ])
}
