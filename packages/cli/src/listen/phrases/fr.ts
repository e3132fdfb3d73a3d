import type { KeyPhrases } from './key-phrases.ts'

export const fr: KeyPhrases = {
  language: 'fr',
  reviewed: false,

  pressAcceptReject: 'Tapez y pour accepter, n pour refuser.',
  pressYesNo: 'Tapez y pour oui, n pour non.',
  pressNumber: 'Tapez le numéro de votre choix.',
  pressToType: 'Tapez a pour écrire une réponse.',
  pressToTypeNumber: 'Tapez a pour écrire un nombre.',
  typeNow: 'Écrivez votre réponse et appuyez sur Entrée. Une ligne vide n’envoie rien.',
  sent: 'Réponse envoyée : {text}.',
  sentAlready: 'Votre réponse a déjà été envoyée.',
  notSent: 'La réponse n’a pas pu être envoyée. {text}',
  notCounted: 'Votre réponse n’a pas compté : la question n’était plus ouverte.',
  nothingSent: 'Aucune réponse n’a été envoyée.',
  closedMeanwhile: 'La question est close. Votre réponse n’a pas été envoyée.',
  notAnAnswer: 'Ce n’est pas une réponse à cette question.',
  noQuestion: 'Aucune question n’est ouverte.',

  skipped: { one: '{n} ligne passée.', other: '{n} lignes passées.' },
  noCode: 'Il n’y a pas eu de bloc de code.',
  paused: 'En pause. Tapez p pour continuer.',
  resumed: 'On continue.',
  pressToQuit: 'Tapez q pour quitter.',
  pressForKeys: 'Tapez ? pour les touches.',
  keys: [
    'r répète la dernière ligne.',
    'e va à la fin.',
    'w dit où nous en sommes.',
    'c lit le dernier bloc de code.',
    'p met en pause et reprend.',
    'y, n ou un numéro répond à une question, a permet d’écrire une réponse.',
    'q quitte.',
  ],
}
