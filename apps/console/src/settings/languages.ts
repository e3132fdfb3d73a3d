/** The languages in which the announcer has words of its own, as their speakers call them. */
export const spokenLanguages = [
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
  ['ar', 'العربية'],
  ['zh', '中文'],
] as const
