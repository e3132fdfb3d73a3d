/** The languages that the announcer has words for, as their speakers call them. */
export const spokenLanguages = [
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
  ['ar', 'العربية'],
  ['zh', '中文'],
] as const
