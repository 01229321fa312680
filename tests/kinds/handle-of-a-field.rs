//~ depends curl
// A handle that a type holds is set in other functions of it.
struct Poster {
    easy: curl::easy::Easy,
}
impl Poster {
    fn new(url: &str) -> Result<Poster> {
        let mut easy = curl::easy::Easy::new();
        easy.url(url)?;
        easy.post(true)?;
        Ok(Poster { easy })
    }
    fn run(&mut self) -> Result<()> {
        let mut transfer = self.easy.transfer();
        transfer.perform()?; //~ mutate
        Ok(())
    }
}

struct Getter {
    easy: curl::easy::Easy,
}
impl Getter {
    fn run(&mut self, url: &str) -> Result<()> {
        self.easy.url(url)?;
        let mut transfer = self.easy.transfer();
        transfer.perform()?;
        Ok(())
    }
}
