import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookText, Box, Building2, KeyRound, LogOut, Monitor, Moon, Plus, Receipt, Sun, UserRound } from 'lucide-react'
import { read } from '../api/queries.ts'
import { docsPages, isOfDocs } from '../docs/list-pages.ts'
import { nameOfKey, shownPrefix } from '../format/visible-text.ts'
import { type CommandGroup, findCommands, requestIdIn } from './commands.ts'
import { useTheme } from './identity.tsx'
import { destinationsFor } from './navigation.tsx'
import { useAccount, useUser } from './owner.tsx'
import { useSignOut } from './sign-out.ts'

const themeCommands = [
  ['system', 'Use the system’s theme', Monitor],
  ['light', 'Use the light theme', Sun],
  ['dark', 'Use the dark theme', Moon]
] as const

/**
 * The commands for a typed text. Keys, models and members appear while something is typed.
 *
 * @param query the typed text once nobody types: control searches for keys with it, because an account may have
 *   thousands
 */
export function useCommands(typed: string, query: string): CommandGroup[] {
  const isSearching = typed.trim() !== ''
  const named = useNamed(query.trim())
  const pages = usePages(isSearching)
  const actions = useActions()
  const direct = useDirect(typed)
  return [
    ...findCommands(isSearching ? [pages, actions, ...named] : [pages, actions], typed),
    ...(direct.items.length > 0 ? [direct] : [])
  ]
}

/** Other words that find a page. */
const wordsOfPages: Readonly<Record<string, string>> = {
  '/dashboard/billing': 'invoices plan subscription payment card',
  '/dashboard/account': 'password two factor sessions name time zone notifications delete'
}

/** The pages of the docs, which are only shown while something is typed. */
const docs = docsPages.map(([path, text]) => ({
  id: `page ${text}`,
  text,
  hint: 'Docs',
  icon: BookText,
  run: () => window.location.assign(path)
}))

function usePages(isSearching: boolean): CommandGroup {
  const navigate = useNavigate()
  const isOwner = useAccount().role === 'owner'
  const isOperator = useUser().role === 'operator'
  return {
    title: 'Pages',
    items: [
      ...destinationsFor({ isOwner, isOperator }).map((destination) => ({
        id: `page ${destination.to}`,
        text: destination.text,
        words: wordsOfPages[destination.to] ?? '',
        icon: destination.icon,
        run: () =>
          isOfDocs(destination.to) ? window.location.assign(destination.to) : navigate({ to: destination.to })
      })),
      ...(isSearching ? docs : [])
    ]
  }
}

function useActions(): CommandGroup {
  const navigate = useNavigate()
  const [, chooseTheme] = useTheme()
  const signOut = useSignOut()
  return {
    title: 'Actions',
    items: [
      {
        id: 'create key',
        text: 'Create key',
        words: 'new add api key',
        icon: Plus,
        run: () => navigate({ to: '/dashboard/keys', search: { create: '1' } })
      },
      ...themeCommands.map(([theme, text, icon]) => ({
        id: `theme ${theme}`,
        text,
        words: 'mode appearance',
        icon,
        run: () => chooseTheme(theme)
      })),
      { id: 'sign out', text: 'Sign out', words: 'log out leave', icon: LogOut, run: signOut }
    ]
  }
}

/** Keys, models and members. What could not be loaded is missing: the pages themselves say why. */
function useNamed(q: string): CommandGroup[] {
  const navigate = useNavigate()
  const { models } = useAccount()
  const keys = useQuery({
    ...read('listKeys', { query: { limit: '50', include_revoked: 'true', q } }),
    enabled: q !== '',
    placeholderData: keepPreviousData
  })
  const team = useQuery(read('getTeam'))
  return [
    {
      title: 'Keys',
      items: (keys.data?.keys ?? []).map((key) => ({
        id: `key ${key.id}`,
        text: nameOfKey(key),
        hint: shownPrefix(key),
        words: [key.id, key.status, ...Object.values(key.metadata)].join(' '),
        icon: KeyRound,
        run: () => navigate({ to: '/dashboard/keys/$id', params: { id: key.id } })
      }))
    },
    {
      title: 'Requests of a model',
      items: models.map(({ id }) => ({
        id: `model ${id}`,
        text: id,
        words: 'model requests',
        icon: Box,
        run: () => navigate({ to: '/dashboard/requests', search: { model: id } })
      }))
    },
    {
      title: 'Members',
      items: (team.data?.team.members ?? []).map(({ id, email, name }) => ({
        id: `member ${id}`,
        text: email,
        hint: name,
        icon: UserRound,
        run: () => navigate({ to: '/dashboard/team' })
      }))
    }
  ]
}

/** What the typed text itself may name: a request by its id and, for operators, an account. */
function useDirect(typed: string): CommandGroup {
  const navigate = useNavigate()
  const isOperator = useUser().role === 'operator'
  const id = requestIdIn(typed)
  const text = typed.trim()
  return {
    title: 'Search',
    items: [
      ...(id === null
        ? []
        : [
            {
              id: 'request',
              text: `Open the request ${id}`,
              icon: Receipt,
              run: () => navigate({ to: '/dashboard/requests/$id', params: { id } })
            }
          ]),
      ...(isOperator && id !== null
        ? [
            {
              id: 'any request',
              text: `Open the request ${id} of any account`,
              icon: Receipt,
              run: () => navigate({ to: '/dashboard/operator/requests/$id', params: { id } })
            }
          ]
        : []),
      ...(isOperator && text !== ''
        ? [
            {
              id: 'account',
              text: `Find accounts: ${text}`,
              icon: Building2,
              run: () => navigate({ to: '/dashboard/operator/accounts', search: { q: text } })
            }
          ]
        : [])
    ]
  }
}
